// Every operator's call, printed: in release builds too.
#pragma once

#include "dispatch/KernelFunction.h"

namespace tensorlib {

/// The boxed kernel at the key Tracer. Prints "tensorlib::pow.Tensor_Scalar(Tensor Float [3], 3) -> AutogradCPU" to standard error, two
/// blanks further in for each operator around the call, and goes on at the key named last.
void trace_fallback(const OperatorEntry& op, DispatchKeySet keys, Stack& stack);

/// Switches that on or off for this thread.
void set_dispatch_trace(bool on);
/// Switches it on for all threads. Before the first call of an operator.
void trace_on_every_thread();

/// Whether the environment asks for it: TENSORLIB_SHOW_DISPATCH_TRACE, not empty and not 0.
bool dispatch_trace_asked_for();

}  // namespace tensorlib
