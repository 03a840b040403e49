// Where the debug information of a file is: in it, or in a detached file.
#pragma once

#include <memory>
#include <string>

#include "symbols/elf_file.hpp"

namespace callpath::dw {

struct DebugFile {
  std::unique_ptr<ElfFile> file;  ///< Or null.
  std::string rejected;           ///< Where there is none: a file in its place that was made for another build; may be empty.
};

/// The detached debug file of `file`, found by its build-id, then by .gnu_debuglink (whose checksum must fit).
DebugFile find_debug_file(const ElfFile& file);

}  // namespace callpath::dw
