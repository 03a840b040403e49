// What to do about missing debug information.
#pragma once

#include <string>

#include "symbols/module_state.hpp"

namespace callpath::dw {

/// One sentence with a command where there is one; empty if nothing is missing.
std::string advice(ModuleState&, const Module&);

}  // namespace callpath::dw
