// How somebody outside hears of every operator call: a word with a fixed name. Tracers find it by that name; any library may offer one.
#pragma once

#include <atomic>

/// Called in the calling thread before an operator looks for its kernel, with the operator's name ("tensorlib::pow.Tensor_Scalar"), which
/// stays where it is for good. Null while nobody listens. Whoever sets it sets it back; a call that is under way may still come.
extern "C" {
using callpath_operator_hook_function = void (*)(const char* name);
extern std::atomic<callpath_operator_hook_function> callpath_operator_hook __attribute__((visibility("protected")));
}

namespace tensorlib {

/// Costs one load while nobody listens.
inline void tell_operator_hook(const char* name) {
  if (const auto hook = callpath_operator_hook.load(std::memory_order_relaxed)) [[unlikely]]
    hook(name);
}

}  // namespace tensorlib
