// The files that are built into the page.
#pragma once

#include <string_view>

namespace callpath::embedded {

std::string_view page_css();  ///< data/page.css, events.css, present.css
std::string_view page_js();   ///< data/page*.js, present.js, in one function
std::string_view
highlight_js();  ///< highlight.js, its core and the languages that excerpts are in; empty if it was not there at build time.

}  // namespace callpath::embedded
