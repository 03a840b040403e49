// What users run on gradients as they pass. The binding derives from these for Python's callables.
#pragma once

#include <vector>

#include "core/Tensor.h"

namespace tensorlib::autograd {

using Variable = Tensor;
using variable_list = std::vector<Variable>;

/// Runs before a node, on the gradients that enter it, and returns those to go on with.
struct FunctionPreHook {
  virtual ~FunctionPreHook() = default;
  virtual variable_list operator()(const variable_list& grads) = 0;
};

/// Runs after a node; returns what replaces its result.
struct FunctionPostHook {
  virtual ~FunctionPostHook() = default;
  virtual variable_list operator()(const variable_list& outputs, const variable_list& inputs) = 0;
};

/// Runs after a leaf's gradient has been added up.
struct PostAccumulateGradHook {
  virtual ~PostAccumulateGradHook() = default;
  virtual void operator()(const Variable& tensor) = 0;
};

}  // namespace tensorlib::autograd
