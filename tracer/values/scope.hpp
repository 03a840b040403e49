// Variables that are visible at a place.
#pragma once

#include <string>
#include <vector>

#include "symbols/module_state.hpp"
#include "values/object.hpp"

namespace callpath::dw {

/// One function of the inlined chain at an address, with the blocks that lie between it and what is inlined in it.
struct FunctionScope {
  Unit* unit = nullptr;
  Die function;             ///< The inlined or physical function's DIE.
  std::vector<Die> blocks;  ///< Innermost first, the function itself not included.

  std::vector<Die> arguments() const;
  std::vector<Die> locals() const;  ///< Of inner blocks first, as gdb's `info locals`.

  /// The variable or argument that a name means here; inner blocks hide outer ones.
  std::optional<Die> find(const std::string& name, bool* is_argument) const;
};

/// The function that has the code at an address.
std::optional<Die> physical_at(ModuleState&, std::uint64_t offset);

/// Nothing if there is no debug information for that function.
std::optional<FunctionScope> scope_at(ModuleState&, std::uint64_t offset, std::size_t depth);

}  // namespace callpath::dw
