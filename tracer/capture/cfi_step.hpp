// A step outward by our own reading of the unwind table, for what neither a row holds nor LLVM's libunwind takes.
#pragma once

#include "capture/cfi_table.hpp"

namespace callpath::capture {

/// Applies the rules to a frame. False where a rule wants what the walk does not carry, or memory that is not there. `last`: nothing called
/// the frame. Async-signal-safe.
bool apply(const State& state, std::uint64_t instruction, const FrameRegisters& frame, FrameRegisters& caller, bool& last);

}  // namespace callpath::capture
