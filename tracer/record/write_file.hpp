// Writing what a command makes to a file.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace callpath {

/// Writes through a temporary beside the target, which is renamed: the file is there whole or not at all. Links are followed, also to a
/// file that does not exist yet; a pipe or a device is written to as it is. Throws Error saying why not. One thread at a time: it looks at
/// the process's umask.
void write_file(const std::string& path, const std::string& text);

/// The same for what is made piece by piece: `write` gets a stream that goes to the file, so that a large report need not be held in
/// memory.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace callpath
