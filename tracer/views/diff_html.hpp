// The page of two paths: one trunk, then a fork into two lanes, details side by side. Pure.
#pragma once

#include <string>

#include "views/diff.hpp"
#include "views/html.hpp"

namespace callpath {

/// Like diff(), as one self-contained page. Throws Error if there are no such events.
std::string diff_html(const Recording& a, std::size_t event_a, const Recording& b, std::size_t event_b, const HtmlOptions&, DiffNames);

}  // namespace callpath
