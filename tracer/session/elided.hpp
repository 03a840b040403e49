// Functions that ran but left no frame, because they left by a jump.
#pragma once

#include <vector>

#include "core/memory.hpp"
#include "core/module.hpp"
#include "core/raw_stack.hpp"
#include "record/record.hpp"
#include "symbols/symbols.hpp"
#include "tables/functions.hpp"

namespace callpath::session {

/// An elided frame, and the file that its code lies in.
struct Elided {
  Frame frame;
  const Module* module = nullptr;
};

/// What stood between a physical frame and its caller, innermost first, with the evidence. `running` is the chain at the inner frame,
/// `code` its extent where known, `caller` the calling function's name and `return_address` the place in it to which it returns. Empty
/// where the call is indirect or where the function called is the one whose frame stands. Where that function's code does not say with
/// certainty by which jump it left, it is told only if there is no debug information.
std::vector<Elided> elided_between(Symbols&, const std::vector<Module>&, const Memory&, const std::vector<FunctionAt>& running,
                                   const std::optional<tables::Extent>& code, const std::string& caller, Address return_address);

}  // namespace callpath::session
