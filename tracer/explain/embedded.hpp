// The files that are built into this library.
#pragma once

#include <string_view>

namespace callpath::embedded {

std::string_view notes();    ///< data/notes.toml
std::string_view phrases();  ///< data/phrases.toml

}  // namespace callpath::embedded
