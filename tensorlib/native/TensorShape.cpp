#include "native/TensorShape.h"

#include <algorithm>

#include "core/Exception.h"

namespace tensorlib::native {

namespace {

/// A view takes its tensor's part in gradients: what is computed from it is computed from the tensor.
Tensor view(const Tensor& self, IntArrayRef sizes, IntArrayRef strides, std::int64_t offset) {
  Tensor result = as_strided(self, sizes, strides, offset);
  if (self.requires_grad()) {
    result.impl()->set_requires_grad(true);
    result.impl()->set_is_leaf(false);
  }
  return result;
}

void erase(DimVector& values, std::int64_t at) {
  std::copy(values.begin() + at + 1, values.end(), values.begin() + at);
  values.resize(values.size() - 1);
}

}  // namespace

std::int64_t wrap_dim(std::int64_t dim, std::int64_t ndim) {
  const std::int64_t range = std::max<std::int64_t>(ndim, 1);
  if (dim < -range || dim >= range) {
    throw IndexError("Dimension out of range (expected to be in range of [" + std::to_string(-range) + ", " + std::to_string(range - 1) +
                     "], but got " + std::to_string(dim) + ")");
  }
  return dim < 0 ? dim + range : dim;
}

Tensor alias(const Tensor& self) { return view(self, self.sizes(), self.strides(), self.impl()->storage_offset()); }

Tensor select(const Tensor& self, std::int64_t dim, std::int64_t index) {
  const std::int64_t size = self.sizes()[dim];
  if (index < -size || index >= size) {
    throw IndexError("index " + std::to_string(index) + " is out of bounds for dimension " + std::to_string(dim) + " with size " +
                     std::to_string(size));
  }
  const std::int64_t position = index < 0 ? index + size : index;
  DimVector sizes(self.sizes()), strides(self.strides());
  const std::int64_t offset = self.impl()->storage_offset() + position * strides[dim];
  erase(sizes, dim);
  erase(strides, dim);
  return view(self, sizes, strides, offset);
}

Tensor slice(const Tensor& self, std::int64_t dim, std::int64_t start, std::int64_t end, std::int64_t step) {
  DimVector sizes(self.sizes()), strides(self.strides());
  const std::int64_t offset = self.impl()->storage_offset() + start * strides[dim];
  sizes[dim] = end <= start ? 0 : (end - start - 1) / step + 1;
  // A step beyond any tensor leaves one element at most, whose stride is of no account.
  if (__builtin_mul_overflow(strides[dim], step, &strides[dim]) || strides[dim] > max_elements) strides[dim] = 1;
  return view(self, sizes, strides, offset);
}

Tensor unsqueeze(const Tensor& self, std::int64_t dim) {
  const std::int64_t at = wrap_dim(dim, self.dim() + 1);
  DimVector sizes(self.sizes()), strides(self.strides());
  const std::int64_t stride = at < self.dim() ? sizes[at] * strides[at] : 1;
  sizes.push_back(1);
  strides.push_back(stride);
  std::rotate(sizes.begin() + at, sizes.end() - 1, sizes.end());
  std::rotate(strides.begin() + at, strides.end() - 1, strides.end());
  return view(self, sizes, strides, self.impl()->storage_offset());
}

Tensor expand(const Tensor& self, IntArrayRef wanted) {
  const std::int64_t added = static_cast<std::int64_t>(wanted.size()) - self.dim();
  if (added < 0) {
    raise("expand: " + toString(wanted) + " has fewer dimensions than the tensor, whose sizes are " + toString(self.sizes()));
  }
  DimVector sizes(wanted), strides(wanted.size(), 0);
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(wanted.size()); ++d) {
    const bool fresh = d < added;
    const std::int64_t size = fresh ? 1 : self.sizes()[d - added];
    if (sizes[d] == -1 && !fresh) sizes[d] = size;
    if (sizes[d] < 0) raise("expand: a size of " + std::to_string(sizes[d]) + " is not allowed at dimension " + std::to_string(d));
    if (size != 1 && size != sizes[d]) {
      raise("The expanded size of the tensor (" + std::to_string(sizes[d]) + ") must match the existing size (" + std::to_string(size) +
            ") at non-singleton dimension " + std::to_string(d) + ".  Target sizes: " + toString(wanted) +
            ".  Tensor sizes: " + toString(self.sizes()));
    }
    if (!fresh && size == sizes[d]) strides[d] = self.strides()[d - added];
  }
  return view(self, sizes, strides, self.impl()->storage_offset());
}

Tensor permute(const Tensor& self, IntArrayRef order) {
  if (static_cast<std::int64_t>(order.size()) != self.dim()) {
    raise("permute: " + toString(order) + " does not name each of the " + std::to_string(self.dim()) + " dimensions");
  }
  DimVector sizes(order.size()), strides(order.size()), seen(order.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int64_t from = wrap_dim(order[i], self.dim());
    if (seen[from]++) raise("permute: dimension " + std::to_string(from) + " is named twice in " + toString(order));
    sizes[i] = self.sizes()[from];
    strides[i] = self.strides()[from];
  }
  return view(self, sizes, strides, self.impl()->storage_offset());
}

}  // namespace tensorlib::native
