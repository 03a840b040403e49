// The files that are built into this library.
#pragma once

#include <string_view>

namespace callpath::embedded {

std::string_view notes();    ///< data/notes_*.toml, one after the other
std::string_view phrases();  ///< data/phrases.toml

}  // namespace callpath::embedded
