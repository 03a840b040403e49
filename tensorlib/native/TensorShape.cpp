// Views of dimensions: chosen, added, dropped, reordered. Those that regroup elements are in TensorView.cpp.
#include "native/TensorShape.h"

#include <algorithm>
#include <numeric>

#include "core/Exception.h"
#include "core/LocalDispatchKeySet.h"
#include "native/TensorConversions.h"
#include "native/ViewUtils.h"
#include "ops/Functions.h"
#include "ops/NativeFunctions.h"

namespace tensorlib::native {

namespace {

void erase(DimVector& values, std::int64_t at) {
  std::copy(values.begin() + at + 1, values.end(), values.begin() + at);
  values.resize(values.size() - 1);
}

void check_has_dimensions(const Tensor& self, const char* what) {
  if (self.dim() == 0) throw IndexError(std::string(what) + "() cannot be applied to a 0-dim tensor.");
}

/// A bound of a Python slice as a position from 0 to size.
std::int64_t clamp_bound(std::int64_t bound, std::int64_t size) {
  return std::clamp<std::int64_t>(bound < 0 ? bound + size : bound, 0, size);
}

}  // namespace

Tensor make_view(const Tensor& self, IntArrayRef sizes, IntArrayRef strides, std::int64_t offset) {
  return tensorlib::as_strided(self, sizes, strides, offset);
}

std::int64_t wrap_dim(std::int64_t dim, std::int64_t ndim) {
  const std::int64_t range = std::max<std::int64_t>(ndim, 1);
  if (dim < -range || dim >= range) {
    throw IndexError("Dimension out of range (expected to be in range of [" + std::to_string(-range) + ", " + std::to_string(range - 1) +
                     "], but got " + std::to_string(dim) + ")");
  }
  return dim < 0 ? dim + range : dim;
}

Tensor alias(const Tensor& self) { return make_view(self, self.sizes(), self.strides(), self.storage_offset()); }

Tensor as_strided(const Tensor& self, IntArrayRef size, IntArrayRef stride, std::optional<std::int64_t> storage_offset) {
  const std::int64_t offset = storage_offset.value_or(self.storage_offset());
  if (size.size() != stride.size()) raise("mismatch in length of strides and shape");
  if (std::any_of(stride.begin(), stride.end(), [](std::int64_t s) { return s < 0; })) {
    raise("as_strided: Negative strides are not supported at the moment, got strides: " + toString(stride));
  }
  if (offset < 0) raise("Tensor: invalid storage offset " + std::to_string(offset));
  multiply_sizes(size);
  const std::int64_t reach = storage_reach(size, stride);
  const auto bytes = static_cast<std::int64_t>(self.storage()->nbytes());
  if (reach > 0 && offset > max_elements) {
    raise("setStorage: storage offset " + std::to_string(offset) + " is out of bounds for storage of size " + std::to_string(bytes));
  }
  if (reach > 0 && (offset + reach) * self.element_size() > bytes) {
    raise("setStorage: sizes " + toString(size) + ", strides " + toString(stride) + ", storage offset " + std::to_string(offset) +
          ", and itemsize " + std::to_string(self.element_size()) + " requiring a storage size of " +
          std::to_string((offset + reach) * self.element_size()) + " are out of bounds for storage of size " + std::to_string(bytes));
  }
  return make_view(self, size, stride, offset);
}

Tensor select(const Tensor& self, std::int64_t dim_, std::int64_t index) {
  check_has_dimensions(self, "select");
  const std::int64_t dim = wrap_dim(dim_, self.dim());
  const std::int64_t size = self.size(dim);
  if (index < -size || index >= size) {
    throw IndexError("index " + std::to_string(index) + " is out of bounds for dimension " + std::to_string(dim) + " with size " +
                     std::to_string(size));
  }
  const std::int64_t position = index < 0 ? index + size : index;
  DimVector sizes(self.sizes()), strides(self.strides());
  const std::int64_t offset = self.storage_offset() + position * strides[dim];
  erase(sizes, dim);
  erase(strides, dim);
  return make_view(self, sizes, strides, offset);
}

Tensor slice(const Tensor& self, std::int64_t dim_, std::optional<std::int64_t> start_, std::optional<std::int64_t> end_,
             std::int64_t step) {
  check_has_dimensions(self, "slice");
  const std::int64_t dim = wrap_dim(dim_, self.dim());
  if (step <= 0) raise("slice step must be positive");
  DimVector sizes(self.sizes()), strides(self.strides());
  const std::int64_t start = clamp_bound(start_.value_or(0), sizes[dim]);
  const std::int64_t end = std::max(start, clamp_bound(end_.value_or(INT64_MAX), sizes[dim]));
  const std::int64_t offset = self.storage_offset() + start * strides[dim];
  sizes[dim] = end == start ? 0 : (end - start - 1) / step + 1;
  // A step beyond any tensor leaves one element at most, whose stride is of no account.
  if (__builtin_mul_overflow(strides[dim], step, &strides[dim]) || strides[dim] > max_elements) strides[dim] = 1;
  return make_view(self, sizes, strides, offset);
}

Tensor narrow(const Tensor& self, std::int64_t dim_, std::int64_t start, std::int64_t length) {
  if (self.dim() == 0) raise("narrow() cannot be applied to a 0-dim tensor.");
  const std::int64_t dim = wrap_dim(dim_, self.dim());
  const std::int64_t size = self.size(dim);
  if (start < -size || start > size) {
    throw IndexError("start out of range (expected to be in range of [" + std::to_string(-size) + ", " + std::to_string(size) +
                     "], but got " + std::to_string(start) + ")");
  }
  const std::int64_t from = start < 0 ? start + size : start;
  if (length < 0) raise("narrow(): length must be non-negative.");
  if (from > size - length) {
    raise("start (" + std::to_string(from) + ") + length (" + std::to_string(length) + ") exceeds dimension size (" + std::to_string(size) +
          ").");
  }
  return at::slice(self, dim, from, from + length, 1);
}

Tensor unsqueeze(const Tensor& self, std::int64_t dim) {
  const std::int64_t at = wrap_dim(dim, self.dim() + 1);
  DimVector sizes(self.sizes()), strides(self.strides());
  const std::int64_t stride = at < self.dim() ? sizes[at] * strides[at] : 1;
  sizes.push_back(1);
  strides.push_back(stride);
  std::rotate(sizes.begin() + at, sizes.end() - 1, sizes.end());
  std::rotate(strides.begin() + at, strides.end() - 1, strides.end());
  return make_view(self, sizes, strides, self.storage_offset());
}

namespace {

/// Without the dimensions of size 1 that `dropped` says.
template <typename Dropped>
Tensor squeeze_where(const Tensor& self, Dropped dropped) {
  DimVector sizes, strides;
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    if (self.size(d) == 1 && dropped(d)) continue;
    sizes.push_back(self.size(d));
    strides.push_back(self.stride(d));
  }
  return make_view(self, sizes, strides, self.storage_offset());
}

}  // namespace

Tensor squeeze(const Tensor& self) {
  return squeeze_where(self, [](std::int64_t) { return true; });
}

Tensor squeeze(const Tensor& self, std::int64_t dim) {
  const std::int64_t wanted = wrap_dim(dim, self.dim());
  return squeeze_where(self, [wanted](std::int64_t d) { return d == wanted; });
}

Tensor squeeze(const Tensor& self, IntArrayRef dims) {
  DimVector named(static_cast<std::size_t>(std::max<std::int64_t>(self.dim(), 1)), 0);
  for (std::int64_t dim : dims) named[wrap_dim(dim, self.dim())] = 1;
  return squeeze_where(self, [&named](std::int64_t d) { return named[d] != 0; });
}

Tensor expand(const Tensor& self, IntArrayRef wanted, bool) {
  const std::int64_t added = static_cast<std::int64_t>(wanted.size()) - self.dim();
  if (added < 0) {
    raise("expand(" + describe(self) + ", size=" + toString(wanted) + "): the number of sizes provided (" + std::to_string(wanted.size()) +
          ") must be greater or equal to the number of dimensions in the tensor (" + std::to_string(self.dim()) + ")");
  }
  DimVector sizes(wanted), strides(wanted.size(), 0);
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(wanted.size()); ++d) {
    const bool fresh = d < added;
    const std::int64_t size = fresh ? 1 : self.size(d - added);
    if (fresh && sizes[d] < 0) {
      raise("The expanded size of the tensor (" + std::to_string(sizes[d]) + ") isn't allowed in a leading, non-existing dimension " +
            std::to_string(d));
    }
    if (sizes[d] == -1) sizes[d] = size;
    if (sizes[d] < 0 || (size != 1 && size != sizes[d])) {
      raise("The expanded size of the tensor (" + std::to_string(sizes[d]) + ") must match the existing size (" + std::to_string(size) +
            ") at non-singleton dimension " + std::to_string(d) + ".  Target sizes: " + toString(wanted) +
            ".  Tensor sizes: " + toString(self.sizes()));
    }
    if (!fresh && size == sizes[d]) strides[d] = self.stride(d - added);
  }
  return make_view(self, sizes, strides, self.storage_offset());
}

Tensor permute(const Tensor& self, IntArrayRef dims) {
  if (static_cast<std::int64_t>(dims.size()) != self.dim()) {
    raise(
        "permute(): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. "
        "input.dim() = " +
        std::to_string(self.dim()) + " is not equal to len(dims) = " + std::to_string(dims.size()));
  }
  DimVector sizes(dims.size()), strides(dims.size()), seen(dims.size(), 0);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t from = wrap_dim(dims[i], self.dim());
    if (seen[from]++) raise("permute(): duplicate dims are not allowed.");
    sizes[i] = self.size(from);
    strides[i] = self.stride(from);
  }
  return make_view(self, sizes, strides, self.storage_offset());
}

Tensor movedim(const Tensor& self, IntArrayRef source, IntArrayRef destination) {
  if (source.size() != destination.size()) {
    raise("movedim: Invalid source or destination dims: source (" + toString(source) +
          " dims) should contain the same number of dims as destination (" + toString(destination) + " dims)");
  }
  const auto ndim = static_cast<std::size_t>(self.dim());
  DimVector order(ndim, -1);
  SmallVector<bool, 8> taken(ndim, false);
  for (std::size_t i = 0; i < source.size(); ++i) {
    const std::int64_t from = wrap_dim(source[i], self.dim()), to = wrap_dim(destination[i], self.dim());
    if (self.dim() == 0) continue;
    if (taken[static_cast<std::size_t>(from)]) raise("movedim: repeated dim in `source` (" + toString(source) + ")");
    if (order[static_cast<std::size_t>(to)] >= 0) raise("movedim: repeated dim in `destination` (" + toString(destination) + ")");
    taken[static_cast<std::size_t>(from)] = true;
    order[static_cast<std::size_t>(to)] = from;
  }
  // The others keep their order in the places that are left.
  std::size_t next = 0;
  for (std::size_t d = 0; d < ndim; ++d) {
    if (order[d] >= 0) continue;
    while (taken[next]) ++next;
    order[d] = static_cast<std::int64_t>(next++);
  }
  return at::permute(self, order);
}
Tensor movedim(const Tensor& self, std::int64_t source, std::int64_t destination) {
  return at::movedim(self, IntArrayRef(&source, 1), IntArrayRef(&destination, 1));
}

Tensor transpose(const Tensor& self, std::int64_t dim0, std::int64_t dim1) {
  const std::int64_t a = wrap_dim(dim0, self.dim()), b = wrap_dim(dim1, self.dim());
  if (a == b) return alias(self);
  DimVector sizes(self.sizes()), strides(self.strides());
  std::swap(sizes[a], sizes[b]);
  std::swap(strides[a], strides[b]);
  return make_view(self, sizes, strides, self.storage_offset());
}

Tensor t(const Tensor& self) {
  if (self.dim() > 2) raise("t() expects a tensor with <= 2 dimensions, but self is " + std::to_string(self.dim()) + "D");
  return transpose(self, 0, self.dim() < 2 ? 0 : 1);
}

Tensor numpy_T(const Tensor& self) {
  DimVector dims;
  for (std::int64_t d = self.dim(); d-- > 0;) dims.push_back(d);
  return at::permute(self, dims);
}

Tensor expand_as(const Tensor& self, const Tensor& other) { return at::expand(self, other.sizes()); }

Tensor diagonal(const Tensor& self, std::int64_t offset, std::int64_t dim1_, std::int64_t dim2_) {
  const std::int64_t dim1 = wrap_dim(dim1_, self.dim()), dim2 = wrap_dim(dim2_, self.dim());
  if (dim1 == dim2) {
    raise("diagonal dimensions cannot be identical " + std::to_string(dim1_) + ", " + std::to_string(dim2_));
  }
  const std::int64_t length =
      offset >= 0 ? std::min(self.size(dim1), self.size(dim2) - offset) : std::min(self.size(dim1) + offset, self.size(dim2));
  DimVector sizes(self.sizes()), strides(self.strides());
  const std::int64_t start = length <= 0 ? 0 : offset >= 0 ? offset * strides[dim2] : -offset * strides[dim1];
  const std::int64_t stride = strides[dim1] + strides[dim2];
  for (std::int64_t dim : {std::max(dim1, dim2), std::min(dim1, dim2)}) {
    erase(sizes, dim);
    erase(strides, dim);
  }
  sizes.push_back(std::max<std::int64_t>(length, 0));
  strides.push_back(stride);
  return make_view(self, sizes, strides, self.storage_offset() + start);
}

namespace {

Tensor zeros_for(const Tensor& grad_output, IntArrayRef input_sizes) {
  return fill_(tensorlib::empty(input_sizes, grad_output.dtype()), Scalar(0));
}

}  // namespace

Tensor select_backward(const Tensor& grad_output, IntArrayRef input_sizes, std::int64_t dim, std::int64_t index) {
  const Tensor grad_input = zeros_for(grad_output, input_sizes);
  copy_(select(grad_input, dim, index), grad_output);
  return grad_input;
}

Tensor slice_backward(const Tensor& grad_output, IntArrayRef input_sizes, std::int64_t dim, std::int64_t start, std::int64_t end,
                      std::int64_t step) {
  const Tensor grad_input = zeros_for(grad_output, input_sizes);
  copy_(slice(grad_input, dim, start, end, step), grad_output);
  return grad_input;
}

Tensor diagonal_backward(const Tensor& grad_output, IntArrayRef input_sizes, std::int64_t offset, std::int64_t dim1, std::int64_t dim2) {
  const Tensor grad_input = zeros_for(grad_output, input_sizes);
  copy_(diagonal(grad_input, offset, dim1, dim2), grad_output);
  return grad_input;
}

}  // namespace tensorlib::native
