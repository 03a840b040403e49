// Functions that ran but left no frame, because they left by a jump.
#pragma once

#include <vector>

#include "core/module.hpp"
#include "core/raw_stack.hpp"
#include "record/record.hpp"
#include "symbols/symbols.hpp"

namespace callpath::session {

/// What stood between a physical frame and its caller, innermost first, as elided frames with their evidence. `callee` is the chain at the
/// inner frame, `return_address` the place in `caller` to which it returns. Empty where the compiler recorded no call there, or where the
/// called function is the one whose frame stands.
std::vector<Frame> elided_between(Symbols&, const std::vector<FunctionAt>& callee, const Module& caller, Address return_address);

}  // namespace callpath::session
