// Functions that ran but left no frame, because they left by a jump.
#pragma once

#include <vector>

#include "core/memory.hpp"
#include "core/module.hpp"
#include "core/raw_stack.hpp"
#include "record/record.hpp"
#include "symbols/symbols.hpp"

namespace callpath::session {

/// An elided frame, and the file that its code lies in.
struct Elided {
  Frame frame;
  const Module* module = nullptr;
};

/// What stood between a physical frame and its caller, innermost first, with the evidence. `running` is the chain at the inner frame,
/// `return_address` the place in the caller to which it returns. Empty where the call is indirect, where the function called is the one
/// whose frame stands, or where that function's code does not say with certainty by which jump it left.
std::vector<Elided> elided_between(Symbols&, const std::vector<Module>&, const Memory&, const std::vector<FunctionAt>& running,
                                   Address return_address);

}  // namespace callpath::session
