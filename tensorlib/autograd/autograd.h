// Backward, as C++ calls it.
#pragma once

#include <optional>

#include "autograd/function_hook.h"

namespace tensorlib::autograd {

/// Adds the gradients of `tensors` to the .grad of the leaves behind them (of `inputs` only, if there are any).
/// `grad_tensors`: those that come in; may be empty, or undefined for tensors of one element. retain_graph is create_graph where not given.
void backward(const variable_list& tensors, const variable_list& grad_tensors = {}, std::optional<bool> retain_graph = std::nullopt,
              bool create_graph = false, const variable_list& inputs = {});

/// The gradients of `outputs` for `inputs`, .grad untouched. Raises Error for an input that is not in the graph, unless `allow_unused`:
/// then its gradient is undefined.
variable_list grad(const variable_list& outputs, const variable_list& inputs, const variable_list& grad_outputs = {},
                   std::optional<bool> retain_graph = std::nullopt, bool create_graph = false, bool allow_unused = false);

}  // namespace tensorlib::autograd
