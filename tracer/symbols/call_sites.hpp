// What the compiler says about calls.
#pragma once

#include "symbols/module_state.hpp"

namespace callpath::dw {

std::optional<CallSite> call_returning_to(ModuleState&, const Module&, std::uint64_t return_address);

/// The DIE of the call that returns to an address; jumps are not calls.
std::optional<Die> call_site_returning_to(ModuleState&, std::uint64_t return_address);

/// What a call site calls by static knowledge, and where that begins in this module.
std::optional<Die> callee_of(Die call_site);
std::optional<std::uint64_t> entry_of(ModuleState&, Die callee);

/// As Symbols::at.
std::vector<FunctionAt> functions_at(ModuleState&, const Module&, std::uint64_t offset);

}  // namespace callpath::dw
