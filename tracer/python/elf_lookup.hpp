// Values of named symbols in an ELF file. A small look-up for finding the interpreter; naming addresses is symbols/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/address.hpp"

namespace callpath {

/// For each name its defined symbol's value in .dynsym or, failing that, .symtab; nothing for names that are not there or files that cannot
/// be read as ELF. Never throws.
std::vector<std::optional<ModuleOffset>> look_up_symbols(const std::string& file, const std::vector<std::string>& names);

}  // namespace callpath
