// Formulas of views, copies and indexing.
#include <algorithm>

#include "autograd/FunctionsManual.h"
#include "autograd/operators.h"
#include "core/Exception.h"

namespace tensorlib::autograd::generated::details {

using namespace at;

Tensor sum_to(const Tensor& grad, IntArrayRef sizes) {
  const std::int64_t added = grad.dim() - static_cast<std::int64_t>(sizes.size());
  DimVector dims;
  for (std::int64_t d = 0; d < grad.dim(); ++d) {
    if (d < added || (sizes[static_cast<std::size_t>(d - added)] == 1 && grad.size(d) != 1)) dims.push_back(d);
  }
  const Tensor result = dims.empty() ? grad : sum(grad, IntArrayRef(dims), true);
  return added > 0 ? view(result, sizes) : result;
}

Tensor permute_backwards(const Tensor& grad, IntArrayRef dims) {
  const auto ndim = static_cast<std::int64_t>(dims.size());
  DimVector back(dims.size());
  for (std::int64_t i = 0; i < ndim; ++i) back[static_cast<std::size_t>(dims[i] < 0 ? dims[i] + ndim : dims[i])] = i;
  return permute(grad, back);
}

Tensor unsqueeze_to(const Tensor& grad, IntArrayRef sizes) {
  Tensor result = grad;
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    if (sizes[dim] == 1) result = unsqueeze(result, static_cast<std::int64_t>(dim));
  }
  return result;
}

Tensor unsqueeze_to(const Tensor& grad, std::int64_t dim, IntArrayRef sizes) {
  if (sizes.empty()) return grad;
  const std::int64_t at = dim < 0 ? dim + static_cast<std::int64_t>(sizes.size()) : dim;
  return sizes[static_cast<std::size_t>(at)] == 1 ? unsqueeze(grad, at) : grad;
}

namespace {

/// Elements of the storage that a geometry reaches, from its first.
std::int64_t reach(IntArrayRef sizes, IntArrayRef strides) {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return 0;
    last += (sizes[i] - 1) * strides[i];
  }
  return last + 1;
}

/// The place in the storage of each element of a geometry, row by row.
Tensor places(IntArrayRef sizes, IntArrayRef strides, std::int64_t offset) {
  Tensor result = full(DimVector{}, Scalar(offset), ScalarType::Long);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Tensor steps = arange(Scalar(sizes[i]), ScalarType::Long) * Scalar(strides[i]);
    result = unsqueeze(result, -1) + steps;
  }
  return reshape(result, DimVector{-1});
}

}  // namespace

// The result and the input are two ways of looking at one storage. The gradient is added up in a storage of its own and read back the way
// the input looks at it; where several elements of the input are the same place, each gets its share.
Tensor as_strided_backward(const Tensor& grad, const TensorGeometry& input, IntArrayRef sizes, IntArrayRef strides,
                           std::optional<std::int64_t> storage_offset) {
  const std::int64_t offset = storage_offset.value_or(input.storage_offset);
  const std::int64_t first = std::min(offset, input.storage_offset);
  const std::int64_t length = std::max(offset + reach(sizes, strides), input.storage_offset + reach(input.sizes, input.strides)) - first;
  const Tensor storage =
      index_add(new_zeros(grad, DimVector{length}), 0, places(sizes, strides, offset - first), reshape(grad, DimVector{-1}));
  const Tensor from = places(input.sizes, input.strides, input.storage_offset - first);
  const Tensor shares = index_add(new_zeros(grad, DimVector{length}), 0, from, ones_like(index_select(storage, 0, from)));
  return reshape(index_select(storage, 0, from) / index_select(shares, 0, from), input.sizes);
}

Tensor slice_backward_wrapper(const Tensor& grad, IntArrayRef sizes, std::int64_t dim, std::optional<std::int64_t> start,
                              std::optional<std::int64_t> end, std::int64_t step) {
  return slice_backward(grad, sizes, dim, start.value_or(0), end.value_or(INT64_MAX), step);
}

variable_list cat_tensors_backward(const Tensor& grad, const std::vector<DimVector>& sizes, const std::vector<ScalarType>& dtypes,
                                   std::int64_t dim) {
  variable_list result(sizes.size());
  if (!grad.defined()) return result;
  const std::int64_t at = dim < 0 ? dim + grad.dim() : dim;
  std::int64_t start = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    // cat passes over tensors of shape [0] whatever the others are.
    if (sizes[i].size() == 1 && sizes[i][0] == 0) {
      result[i] = new_zeros(grad, DimVector{0});
      continue;
    }
    const std::int64_t size = sizes[i][static_cast<std::size_t>(at)];
    result[i] = narrow(grad, at, start, size);
    if (result[i].dtype() != dtypes[i]) result[i] = to(result[i], dtypes[i]);
    start += size;
  }
  return result;
}

variable_list stack_tensors_backward(const Tensor& grad, std::int64_t dim, const std::vector<ScalarType>& dtypes) {
  variable_list result(dtypes.size());
  if (!grad.defined()) return result;
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    const Tensor part = select(grad, dim, static_cast<std::int64_t>(i));
    result[i] = part.dtype() == dtypes[i] ? part : to(part, dtypes[i]);
  }
  return result;
}

namespace {

/// The first gradient that is there decides the type of the zeros for those that are not.
Tensor zeros_beside(const variable_list& grads, IntArrayRef sizes, ScalarType dtype) {
  for (const Tensor& grad : grads) {
    if (grad.defined()) return new_zeros(grad, sizes);
  }
  return zeros(sizes, dtype);
}

}  // namespace

Tensor unbind_backward(const variable_list& grads, std::int64_t dim, IntArrayRef sizes, ScalarType dtype) {
  DimVector part;
  const std::int64_t at = dim < 0 ? dim + static_cast<std::int64_t>(sizes.size()) : dim;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (static_cast<std::int64_t>(d) != at) part.push_back(sizes[d]);
  }
  variable_list all;
  for (const Tensor& grad : grads) all.push_back(grad.defined() ? grad : zeros_beside(grads, part, dtype));
  return stack(all, at);
}

Tensor split_backward(const variable_list& grads, std::int64_t split_size, std::int64_t dim, IntArrayRef sizes, ScalarType dtype) {
  const std::int64_t at = dim < 0 ? dim + static_cast<std::int64_t>(sizes.size()) : dim;
  variable_list all;
  for (std::size_t i = 0; i < grads.size(); ++i) {
    DimVector part(sizes);
    const auto start = static_cast<std::int64_t>(i) * split_size;
    part[static_cast<std::size_t>(at)] = std::min(split_size, sizes[static_cast<std::size_t>(at)] - start);
    all.push_back(grads[i].defined() ? grads[i] : zeros_beside(grads, part, dtype));
  }
  return cat(all, at);
}

Tensor take_backward(const Tensor& grad, IntArrayRef sizes, const Tensor& index) {
  std::int64_t numel = 1;
  for (std::int64_t size : sizes) numel *= size;
  const std::optional<Tensor> indices[] = {index};
  return reshape(index_put(new_zeros(grad, DimVector{numel}), indices, grad, true), sizes);
}

}  // namespace tensorlib::autograd::generated::details
