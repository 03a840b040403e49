// What the compiler says about calls.
#pragma once

#include "symbols/module_state.hpp"

namespace callpath::dw {

std::optional<CallSite> call_returning_to(ModuleState&, const Module&, std::uint64_t return_address);

/// As Symbols::at.
std::vector<FunctionAt> functions_at(ModuleState&, const Module&, std::uint64_t offset);

}  // namespace callpath::dw
