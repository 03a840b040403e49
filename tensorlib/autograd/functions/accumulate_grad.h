// The node of a leaf: adds up what arrives in the leaf's .grad.
#pragma once

#include "autograd/function.h"

namespace tensorlib::autograd {

struct AccumulateGrad : Node {
  explicit AccumulateGrad(Tensor variable);

  std::string name() const override { return "AccumulateGrad"; }
  std::vector<std::unique_ptr<FunctionPreHook>>& tensor_pre_hooks() override;
  PostAccumulateGradHook* post_accumulate_grad_hook() override;

  const Tensor variable;

 protected:
  variable_list apply(variable_list&& grads) override;
};

/// A leaf's gradient, which backward may add to on one thread while another reads or replaces it. Safe from any thread.
Tensor load_grad(const Tensor& variable);
/// Replaces it; gives what was there, which is freed outside of the lock.
Tensor exchange_grad(const Tensor& variable, Tensor grad);

}  // namespace tensorlib::autograd
