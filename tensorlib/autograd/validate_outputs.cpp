#include <algorithm>

#include "autograd/FunctionsManual.h"
#include "autograd/engine.h"
#include "core/Exception.h"
#include "ops/Functions.h"

namespace tensorlib::autograd {

bool InputMetadata::is_same_shape(const Tensor& grad) const { return std::ranges::equal(grad.sizes(), sizes()); }

bool InputMetadata::is_expandable_to_shape(const Tensor& grad) const {
  const IntArrayRef from = sizes(), to = grad.sizes();
  if (from.size() > to.size()) return false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::int64_t size = from[from.size() - 1 - i];
    if (size != 1 && size != to[to.size() - 1 - i]) return false;
  }
  return true;
}

Tensor InputMetadata::reduce_grad(const Tensor& grad) const { return generated::details::sum_to(grad, sizes()); }

namespace {

Tensor validated(const InputMetadata& metadata, const Tensor& grad, std::size_t index, const std::string& node_name) {
  Tensor result = grad;
  if (!metadata.is_same_shape(result)) {
    if (!metadata.is_expandable_to_shape(result)) {
      raise("Function " + node_name + " returned an invalid gradient at index " + std::to_string(index) + " - got " +
            toString(result.sizes()) + " but expected shape compatible with " + toString(metadata.sizes()));
    }
    result = metadata.reduce_grad(result);
  }
  return result.dtype() == metadata.dtype() ? result : at::to(result, metadata.dtype());
}

}  // namespace

void validate_outputs(const edge_list& edges, variable_list& grads, const std::string& node_name) {
  if (grads.size() != edges.size()) {
    raise("Function " + node_name + " returned an invalid number of gradients - got " + std::to_string(grads.size()) + ", but expected " +
          std::to_string(edges.size()));
  }
  for (std::size_t i = 0; i < grads.size(); ++i) {
    if (!edges[i].is_valid() || !grads[i].defined()) continue;
    grads[i] = validated(edges[i].function->input_metadata(edges[i].input_nr), grads[i], i, node_name);
  }
}

}  // namespace tensorlib::autograd
