// Views that regroup elements: view, flatten, and a tensor in pieces.
#include <algorithm>

#include "core/Exception.h"
#include "native/TensorConversions.h"
#include "native/TensorShape.h"
#include "native/ViewUtils.h"
#include "ops/Functions.h"
#include "ops/NativeFunctions.h"

namespace tensorlib::native {

std::string describe(const Tensor& self) {
  return std::string("tensorlib.") + toString(self.dtype()) + "Tensor{" + tensorlib::toString(self.sizes()) + "}";
}

DimVector infer_view_size(IntArrayRef size, std::int64_t numel) {
  const auto invalid = [&] { raise("shape '" + toString(size) + "' is invalid for input of size " + std::to_string(numel)); };
  std::int64_t known = 1, inferred = -1;
  for (std::size_t d = 0; d < size.size(); ++d) {
    if (size[d] == -1) {
      if (inferred >= 0) raise("only one dimension can be inferred");
      inferred = static_cast<std::int64_t>(d);
    } else if (size[d] < 0) {
      raise("invalid shape dimension " + std::to_string(size[d]));
    } else if (__builtin_mul_overflow(known, size[d], &known)) {
      invalid();
    }
  }
  DimVector result(size);
  if (inferred < 0) {
    if (known != numel) invalid();
    return result;
  }
  if (known == 0 && numel == 0) {
    raise("cannot reshape tensor of 0 elements into shape " + toString(size) +
          " because the unspecified dimension size -1 can be any value and is ambiguous");
  }
  if (known == 0 || numel % known != 0) invalid();
  result[inferred] = numel / known;
  return result;
}

namespace {

/// Dimensions first to last of a tensor that are one run: `numel` elements, `stride` apart.
struct Run {
  std::int64_t numel = 1;
  std::int64_t stride = 0;
};

/// The run that ends with dimension d; d becomes the dimension before it.
Run run_ending_at(const Tensor& self, std::int64_t& d) {
  Run run{1, self.stride(d)};
  do {
    run.numel *= self.size(d--);
  } while (d >= 0 && (self.size(d) == 1 || self.stride(d) == run.numel * run.stride));
  return run;
}

}  // namespace

// From the last dimension on: each run of self must be filled exactly by dimensions of the view.
std::optional<DimVector> compute_view_strides(const Tensor& self, IntArrayRef size) {
  if (self.numel() == 0) {
    return std::ranges::equal(self.sizes(), size) ? DimVector(self.strides()) : contiguous_strides(size);
  }
  DimVector strides(size.size(), 1);
  auto to = static_cast<std::int64_t>(size.size()) - 1;
  for (std::int64_t from = self.dim() - 1; from >= 0;) {
    const Run run = run_ending_at(self, from);
    std::int64_t filled = 1;
    for (; to >= 0 && (filled < run.numel || size[to] == 1); --to) {
      strides[to] = filled * run.stride;
      filled *= size[to];
    }
    if (filled != run.numel) return std::nullopt;
  }
  return strides;
}

Tensor view(const Tensor& self, IntArrayRef size) {
  const DimVector sizes = infer_view_size(size, self.numel());
  const std::optional<DimVector> strides = compute_view_strides(self, sizes);
  if (!strides) {
    raise(
        "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). "
        "Use .reshape(...) instead.");
  }
  return make_view(self, sizes, *strides, self.storage_offset());
}

Tensor view_dtype(const Tensor& self, ScalarType dtype) {
  if (self.dtype() == dtype) return alias(self);
  const auto from = static_cast<std::int64_t>(elementSize(self.dtype())), to = static_cast<std::int64_t>(elementSize(dtype));
  const std::string what = std::string(toString(self.dtype())) + " as " + toString(dtype) + " (different element sizes)";
  DimVector sizes(self.sizes()), strides(self.strides());
  std::int64_t offset = self.storage_offset();
  if (from != to) {
    if (self.dim() == 0) raise("self.dim() cannot be 0 to view " + what);
    const std::size_t last = sizes.size() - 1;
    if (strides[last] != 1) raise("self.stride(-1) must be 1 to view " + what + ", but got " + std::to_string(strides[last]));
    const auto scaled = [&](std::int64_t elements, const std::string& name) {
      if (elements * from % to != 0) {
        raise(name + " must be divisible by " + std::to_string(to / from) + " to view " + what + ", but got " + std::to_string(elements));
      }
      return elements * from / to;
    };
    sizes[last] = scaled(sizes[last], "self.size(-1)");
    for (std::size_t d = 0; d < last; ++d) strides[d] = scaled(strides[d], "self.stride(" + std::to_string(d) + ")");
    offset = scaled(offset, "self.storage_offset()");
  }
  return Tensor(make_intrusive<TensorImpl>(self.storage(), offset, sizes, strides, dtype, self.key_set()));
}

Tensor _unsafe_view(const Tensor& self, IntArrayRef size) { return view(self, size); }

Tensor reshape(const Tensor& self, IntArrayRef shape) {
  const DimVector sizes = infer_view_size(shape, self.numel());
  if (compute_view_strides(self, sizes)) return at::view(self, sizes);
  return at::_unsafe_view(at::clone(self, contiguous_format), sizes);
}

Tensor view_as(const Tensor& self, const Tensor& other) { return at::view(self, other.sizes()); }
Tensor reshape_as(const Tensor& self, const Tensor& other) { return at::reshape(self, other.sizes()); }
Tensor ravel(const Tensor& self) { return at::reshape(self, DimVector{-1}); }
Tensor flatten(const Tensor& self, std::int64_t start_dim, std::int64_t end_dim) {
  const DimVector sizes = flattened_sizes(self, start_dim, end_dim);
  return std::ranges::equal(self.sizes(), IntArrayRef(sizes)) ? self : at::reshape(self, sizes);
}

DimVector flattened_sizes(const Tensor& self, std::int64_t start_dim, std::int64_t end_dim) {
  const std::int64_t start = wrap_dim(start_dim, self.dim()), end = wrap_dim(end_dim, self.dim());
  if (start > end) raise("flatten() has invalid args: start_dim cannot come after end_dim");
  if (self.dim() == 0) return DimVector{1};
  DimVector sizes;
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    if (d <= start || d > end) {
      sizes.push_back(self.size(d));
    } else {
      sizes.back() *= self.size(d);
    }
  }
  return sizes;
}

std::vector<Tensor> unbind(const Tensor& self, std::int64_t dim_) {
  if (self.dim() == 0) throw IndexError("Dimension specified as " + std::to_string(dim_) + " but tensor has no dimensions");
  const std::int64_t dim = wrap_dim(dim_, self.dim());
  std::vector<Tensor> result;
  for (std::int64_t i = 0; i < self.size(dim); ++i) result.push_back(select(self, dim, i));
  return result;
}

std::vector<Tensor> split_with_sizes(const Tensor& self, IntArrayRef split_sizes, std::int64_t dim_) {
  if (self.dim() == 0) raise("split expects at least a 1-dimensional tensor");
  const std::int64_t dim = wrap_dim(dim_, self.dim());
  std::vector<Tensor> result;
  std::int64_t start = 0;
  for (std::int64_t length : split_sizes) {
    if (length < 0) {
      raise("split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=" + toString(split_sizes));
    }
    if (length > self.size(dim) - start) break;
    result.push_back(at::slice(self, dim, start, start + length, 1));
    start += length;
  }
  if (start != self.size(dim) || result.size() != split_sizes.size()) {
    raise("split_with_sizes expects split_sizes to sum exactly to " + std::to_string(self.size(dim)) +
          " (input tensor's size at dimension " + std::to_string(dim) + "), but got split_sizes=" + toString(split_sizes));
  }
  return result;
}

std::vector<Tensor> split(const Tensor& self, std::int64_t split_size, std::int64_t dim_) {
  if (self.dim() == 0) raise("split expects at least a 1-dimensional tensor");
  const std::int64_t dim = wrap_dim(dim_, self.dim());
  const std::int64_t size = self.size(dim);
  if (split_size < 0) raise("split expects split_size be non-negative, but got split_size=" + std::to_string(split_size));
  if (split_size == 0 && size != 0) {
    raise("split_size can only be 0 if dimension size is 0, but got dimension size of " + std::to_string(size));
  }
  std::vector<Tensor> result;
  std::int64_t start = 0;
  do {
    const std::int64_t length = std::min(split_size, size - start);
    result.push_back(slice(self, dim, start, start + length, 1));
    start += length;
  } while (start < size);
  return result;
}

std::vector<Tensor> split(const Tensor& self, IntArrayRef split_sizes, std::int64_t dim) {
  return at::split_with_sizes(self, split_sizes, dim);
}

std::vector<Tensor> chunk(const Tensor& self, std::int64_t chunks, std::int64_t dim_) {
  if (self.dim() == 0) raise("chunk expects at least a 1-dimensional tensor");
  if (chunks <= 0) raise("chunk expects `chunks` to be greater than 0, got: " + std::to_string(chunks));
  const std::int64_t size = self.size(wrap_dim(dim_, self.dim()));
  if (size == 0) return at::split_with_sizes(self, DimVector(static_cast<std::size_t>(chunks), 0), dim_);
  return at::split(self, (size - 1) / chunks + 1, dim_);
}

}  // namespace tensorlib::native
