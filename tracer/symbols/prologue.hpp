// Where gdb's `break FUNCTION` stops.
#pragma once

#include "symbols/units.hpp"

namespace callpath::dw {

/// The rules of gdb 13 for x86-64. `unit` may be null: then only the frame set-up instructions are skipped, as gdb does without debug
/// information.
std::uint64_t after_prologue(Unit* unit, const ElfFile& code, std::uint64_t entry);

}  // namespace callpath::dw
