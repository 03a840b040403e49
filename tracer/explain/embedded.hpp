// The files that are built into this library.
#pragma once

#include <string_view>

namespace callpath::embedded {

std::string_view notes();  ///< data/notes.toml

}  // namespace callpath::embedded
