// Where the debug information of a file is: in it, or in a detached file.
#pragma once

#include <memory>
#include <string>

#include "symbols/elf_file.hpp"

namespace callpath::dw {

/// The detached debug file of `file`, found by its build-id, then by .gnu_debuglink (whose checksum must fit), or null.
std::unique_ptr<ElfFile> find_debug_file(const ElfFile& file);

}  // namespace callpath::dw
