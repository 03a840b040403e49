// One step outward through LLVM's libunwind, from nothing but registers.
#pragma once

#include <ucontext.h>

#include "capture/capture.hpp"
#include "capture/row.hpp"

namespace callpath::capture {

struct Step {
  enum Result { caller, last, signal_frame, row_only, no_unwind_info, bad_data } result = bad_data;
  FrameRegisters caller_registers;  ///< For `caller` and `last`.
  Row row;                          ///< What repeats the step; invalid where that cannot be held.
};

/// For an interrupted frame the row is all there is where it can be held (`row_only`): the library does not apply what the table says from
/// that very instruction on, because it expects return addresses (parseInstructions stops at the first row that is not below the address).
/// For a frame that called, the row is given only if it repeats the library's step to the bit. `context` holds all registers where the
/// frame was interrupted, and is null for a frame that called. Async-signal-safe; data on which the unwinder would abort is an answer.
Step step_out(const FrameRegisters& frame, const ucontext_t* context);

/// The registers of an interrupted frame.
FrameRegisters registers_of(const ucontext_t&);

}  // namespace callpath::capture
