// What the autograd kernels share.
#pragma once

#include "core/LocalDispatchKeySet.h"
#include "core/Tensor.h"

namespace tensorlib::autograd {

/// Whether the result of an operator on these tensors takes part in gradients, in this thread's mode.
template <typename... Tensors>
bool compute_requires_grad(const Tensors&... tensors) {
  return GradMode::is_enabled() && (tensors.requires_grad() || ...);
}

/// Marks a result as computed from tensors that want gradients. There is no tape yet: the result says so, nothing can run backwards.
inline void set_history(const Tensor& result) {
  result.impl()->set_requires_grad(true);
  result.impl()->set_is_leaf(false);
}

}  // namespace tensorlib::autograd
