// Writing a report to a file.
#pragma once

#include <string>

namespace callpath {

/// Writes through a temporary beside the target, which is renamed: the file is there whole or not at all. Throws Error saying why not.
void write_file(const std::string& path, const std::string& text);

}  // namespace callpath
