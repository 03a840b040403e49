#include "native/TensorCat.h"

#include <algorithm>

#include "core/Exception.h"
#include "core/MemoryOverlap.h"
#include "native/Resize.h"
#include "native/TensorConversions.h"
#include "native/TensorFactories.h"
#include "native/TypeProperties.h"
#include "ops/Functions.h"
#include "ops/NativeFunctions.h"

namespace tensorlib::native {

namespace {

bool counts_for_nothing(const Tensor& tensor) { return tensor.dim() == 1 && tensor.numel() == 0; }

ScalarType common_type(TensorList tensors) {
  ResultTypeState state;
  for (const Tensor& tensor : tensors) state = update_result_type_state(tensor, state);
  return result_type(state);
}

/// Sizes of the result; raises Error where the tensors do not fit together.
DimVector cat_sizes(TensorList tensors, std::int64_t* dim) {
  if (tensors.empty()) raise("torch.cat(): expected a non-empty list of Tensors");
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].dim() == 0) raise("zero-dimensional tensor (at position " + std::to_string(i) + ") cannot be concatenated");
  }
  const auto first = std::find_if_not(tensors.begin(), tensors.end(), counts_for_nothing);
  if (first == tensors.end()) {
    *dim = wrap_dim(*dim, 1);
    return DimVector{0};
  }
  *dim = wrap_dim(*dim, first->dim());
  DimVector sizes(first->sizes());
  for (auto tensor = first + 1; tensor != tensors.end(); ++tensor) {
    if (counts_for_nothing(*tensor)) continue;
    if (tensor->dim() != first->dim()) {
      raise("Tensors must have same number of dimensions: got " + std::to_string(first->dim()) + " and " + std::to_string(tensor->dim()));
    }
    for (std::int64_t d = 0; d < tensor->dim(); ++d) {
      if (d != *dim && tensor->size(d) != first->size(d)) {
        raise("Sizes of tensors must match except in dimension " + std::to_string(*dim) + ". Expected size " +
              std::to_string(first->size(d)) + " but got size " + std::to_string(tensor->size(d)) + " for tensor number " +
              std::to_string(tensor - tensors.begin()) + " in the list.");
      }
    }
    sizes[*dim] += tensor->size(*dim);
  }
  return sizes;
}

void copy_pieces(TensorList tensors, std::int64_t dim, const Tensor& out) {
  std::int64_t start = 0;
  for (const Tensor& tensor : tensors) {
    if (counts_for_nothing(tensor)) continue;
    const std::int64_t length = tensor.size(dim);
    copy_(slice(out, dim, start, start + length, 1), tensor);
    start += length;
  }
}

std::vector<Tensor> unsqueezed(TensorList tensors, std::int64_t* dim) {
  if (tensors.empty()) raise("stack expects a non-empty TensorList");
  *dim = wrap_dim(*dim, tensors[0].dim() + 1);
  std::vector<Tensor> result;
  for (const Tensor& tensor : tensors) {
    if (!std::ranges::equal(tensor.sizes(), tensors[0].sizes())) {
      raise("stack expects each tensor to be equal size, but got " + tensorlib::toString(tensors[0].sizes()) + " at entry 0 and " +
            tensorlib::toString(tensor.sizes()) + " at entry " + std::to_string(result.size()));
    }
    result.push_back(unsqueeze(tensor, *dim));
  }
  return result;
}

}  // namespace

Tensor cat(TensorList tensors, std::int64_t dim) {
  const DimVector sizes = cat_sizes(tensors, &dim);
  const Tensor out = tensorlib::empty(sizes, common_type(tensors));
  copy_pieces(tensors, dim, out);
  return out;
}

Tensor& cat_out(TensorList tensors, std::int64_t dim, Tensor& out) {
  const DimVector sizes = cat_sizes(tensors, &dim);
  const ScalarType type = common_type(tensors);
  if (!canCast(type, out.dtype())) {
    raise(std::string("torch.cat(): input types can't be cast to the desired output type ") + toString(out.dtype()));
  }
  assert_no_internal_overlap(out);
  for (const Tensor& tensor : tensors) assert_no_overlap(out, tensor);
  resize_output(out, sizes);
  copy_pieces(tensors, dim, out);
  return out;
}

Tensor stack(TensorList tensors, std::int64_t dim) {
  const std::vector<Tensor> pieces = unsqueezed(tensors, &dim);
  return cat(pieces, dim);
}

Tensor& stack_out(TensorList tensors, std::int64_t dim, Tensor& out) {
  const std::vector<Tensor> pieces = unsqueezed(tensors, &dim);
  return cat_out(pieces, dim, out);
}

// Each dimension as two, the repeat and the size: then it is an expand.
Tensor repeat(const Tensor& self, IntArrayRef repeats) {
  const std::int64_t added = static_cast<std::int64_t>(repeats.size()) - self.dim();
  if (added < 0) raise("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
  DimVector sizes, paired, unit;
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(repeats.size()); ++d) {
    const std::int64_t size = d < added ? 1 : self.size(d - added);
    std::int64_t repeated;
    if (repeats[d] < 0)
      raise("Trying to create tensor with negative dimension " + std::to_string(repeats[d]) + ": " + tensorlib::toString(repeats));
    if (__builtin_mul_overflow(repeats[d], size, &repeated))
      raise("not enough memory: repeat() makes a dimension larger than an address space");
    sizes.push_back(repeated);
    paired.push_back(repeats[d]);
    paired.push_back(size);
    unit.push_back(1);
    unit.push_back(size);
  }
  const Tensor expanded = at::expand(at::reshape(self, unit), paired);
  return at::_unsafe_view(at::clone(expanded, contiguous_format), sizes);
}

// Strides are never negative, so each flipped dimension is copied position by position.
Tensor flip(const Tensor& self, IntArrayRef dims) {
  DimVector seen(static_cast<std::size_t>(std::max<std::int64_t>(self.dim(), 1)), 0);
  for (std::int64_t dim : dims) {
    if (seen[wrap_dim(dim, self.dim())]++) raise("dim " + std::to_string(dim) + " appears multiple times in the list of dims");
  }
  Tensor current = self;
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    if (!seen[d]) continue;
    const Tensor flipped = empty_like(current, self.dtype());
    for (std::int64_t i = 0; i < self.size(d); ++i) copy_(select(flipped, d, i), select(current, d, self.size(d) - 1 - i));
    current = flipped;
  }
  return current.is_same(self) ? to(self, self.dtype()) : current;
}

}  // namespace tensorlib::native
