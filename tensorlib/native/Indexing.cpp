#include "native/Indexing.h"

#include <algorithm>

#include "core/Dispatch.h"
#include "core/Exception.h"
#include "core/MemoryOverlap.h"
#include "native/IndexKernel.h"
#include "native/IndexingUtils.h"
#include "native/TensorConversions.h"
#include "native/TensorFactories.h"
#include "native/TensorIterator.h"
#include "native/TensorShape.h"
#include "ops/Functions.h"
#include "ops/NativeFunctions.h"

namespace tensorlib::native {

DEFINE_DISPATCH(index_stub);
DEFINE_DISPATCH(index_put_stub);

Tensor index(const Tensor& self, IndexList indices) {
  const IndexedPlaces places = indexed_places(self, indices);
  const Tensor result = tensorlib::empty(places.data.sizes(), self.dtype());
  TensorIterator iter = TensorIteratorConfig()
                            .set_check_mem_overlap(false)
                            .check_all_same_dtype(false)
                            .resize_outputs(false)
                            .add_output(result)
                            .add_input(places.data)
                            .add_input(places.offsets)
                            .build();
  index_stub(iter);
  return result;
}

namespace {

/// Writes values to places of self.
void put_places(const Tensor& self, const IndexedPlaces& places, const Tensor& values, bool accumulate) {
  // A copy, where the values are read from the memory that is written to.
  const bool shared = self.storage().get() == values.storage().get();
  const Tensor source = shared ? to(values, values.dtype()) : values;
  Tensor broadcast;
  try {
    broadcast = expand(source, places.data.sizes());
  } catch (const Error&) {
    raise("shape mismatch: value tensor of shape " + tensorlib::toString(values.sizes()) +
          " cannot be broadcast to indexing result of shape " + tensorlib::toString(places.data.sizes()));
  }
  // Row by row, so that which of several values stays does not depend on strides.
  TensorIterator iter = TensorIteratorConfig()
                            .set_check_mem_overlap(false)
                            .check_all_same_dtype(false)
                            .resize_outputs(false)
                            .enforce_linear_iteration()
                            .add_output(places.data)
                            .add_input(broadcast)
                            .add_input(places.offsets)
                            .build();
  index_put_stub(iter, accumulate);
}

/// The mask that is the only index, in a shape that broadcasts to self's; undefined where there are other indices or it does not fit.
Tensor only_mask(const Tensor& self, IndexList indices) {
  Tensor mask;
  std::int64_t before = 0, after = 0;
  for (const auto& index : indices) {
    if (!index || !index->defined()) {
      ++(mask.defined() ? after : before);
      continue;
    }
    const bool is_mask = index->dtype() == ScalarType::Bool || index->dtype() == ScalarType::Byte;
    if (mask.defined() || !is_mask || index->dim() == 0 || before + index->dim() > self.dim()) return Tensor();
    for (std::int64_t d = 0; d < index->dim(); ++d) {
      if (index->size(d) != self.size(before + d)) return Tensor();
    }
    mask = *index;
  }
  if (!mask.defined() || before + mask.dim() + after > self.dim()) return Tensor();
  for (std::int64_t d = before + mask.dim(); d < self.dim(); ++d) mask = unsqueeze(mask, -1);
  return mask;
}

}  // namespace

Tensor& index_put_(Tensor& self, IndexList indices, const Tensor& values, bool accumulate) {
  if (!accumulate && values.numel() == 1) {
    // One value for what a mask chooses: its type need not be the tensor's.
    const Tensor mask = only_mask(self, indices);
    if (mask.defined()) return masked_fill_(self, mask, tensorlib::item(values));
  }
  warn_if_expanded(self, "index_put_");
  const IndexedPlaces places = indexed_places(self, indices);
  if (self.dtype() != values.dtype()) {
    raise(std::string("Index put requires the source and destination dtypes match, got ") + toString(self.dtype()) +
          " for the destination and " + toString(values.dtype()) + " for the source.");
  }
  put_places(self, places, values, accumulate);
  return self;
}

Tensor index_put(const Tensor& self, IndexList indices, const Tensor& values, bool accumulate) {
  Tensor result = to(self, self.dtype());
  return index_put_(result, indices, values, accumulate);
}

namespace {

std::vector<std::optional<Tensor>> at_dimension(std::int64_t dim, const Tensor& index) {
  std::vector<std::optional<Tensor>> indices(static_cast<std::size_t>(dim) + 1);
  indices.back() = index;
  return indices;
}

void check_index_vector(const Tensor& index, const char* name) {
  if (index.dim() > 1) throw IndexError(std::string(name) + "(): Index is supposed to be a vector");
  if (index.dtype() != ScalarType::Long && index.dtype() != ScalarType::Int) {
    raise(std::string(name) + "(): Expected dtype int32 or int64 for index");
  }
}

Tensor as_vector(const Tensor& tensor) { return tensor.dim() == 0 ? unsqueeze(tensor, 0) : tensor; }

}  // namespace

Tensor index_select(const Tensor& self, std::int64_t dim_, const Tensor& index_) {
  check_index_vector(index_, "index_select");
  const std::int64_t dim = wrap_dim(dim_, self.dim());
  if (self.dim() == 0 && index_.numel() != 1) {
    raise("index_select(): Index to scalar can have only 1 value, got " + std::to_string(index_.numel()) + " value(s)");
  }
  const Tensor positions = checked_positions(as_vector(index_), dim, self.dim() == 0 ? 1 : self.size(dim), false);
  const Tensor result = index(as_vector(self), at_dimension(dim, positions));
  return self.dim() == 0 ? view(result, IntArrayRef()) : result;
}

Tensor& index_add_(Tensor& self, std::int64_t dim_, const Tensor& index_, const Tensor& source, const Scalar& alpha) {
  check_index_vector(index_, "index_add");
  const std::int64_t dim = wrap_dim(dim_, self.dim());
  if (self.dtype() != source.dtype()) {
    raise(std::string("index_add(): self (") + toString(self.dtype()) + ") and source (" + toString(source.dtype()) +
          ") must have the same scalar type");
  }
  assert_no_internal_overlap(self);
  Tensor base = as_vector(self);
  const Tensor added = as_vector(source);
  const Tensor positions = checked_positions(as_vector(index_), dim, base.size(dim), false);
  if (added.dim() != base.dim() || added.size(dim) != positions.numel()) {
    raise("index_add(): Number of indices (" + std::to_string(positions.numel()) + ") should be equal to source.size(dim): (" +
          std::to_string(added.size(std::min(dim, added.dim() - 1))) + "), for dim: " + std::to_string(dim));
  }
  for (std::int64_t d = 0; d < base.dim(); ++d) {
    if (d != dim && base.size(d) != added.size(d)) {
      raise("index_add(): sizes " + tensorlib::toString(self.sizes()) + " of self and " + tensorlib::toString(source.sizes()) +
            " of source differ outside dimension " + std::to_string(dim));
    }
  }
  Tensor scaled = added;
  if (!alpha.equal(std::int64_t{1})) {
    scaled = to(added, added.dtype());
    TENSORLIB_DISPATCH_ALL_TYPES(scaled.dtype(), "index_add", {
      const scalar_t factor = alpha.to<scalar_t>();
      for (std::int64_t i = 0; i < scaled.numel(); ++i)
        scaled.data_ptr<scalar_t>()[i] = static_cast<scalar_t>(scaled.data_ptr<scalar_t>()[i] * factor);
    });
  }
  index_put_(base, at_dimension(dim, positions), scaled, true);
  return self;
}

Tensor index_add(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha) {
  Tensor result = to(self, self.dtype());
  return index_add_(result, dim, index, source, alpha);
}

Tensor& index_fill_(Tensor& self, std::int64_t dim_, const Tensor& index_, const Scalar& value) {
  if (index_.dtype() != ScalarType::Long) throw IndexError("index_fill_(): Expected dtype int64 for index.");
  if (index_.dim() > 1) raise("Index has to be a vector/scalar, but got " + tensorlib::toString(index_.sizes()));
  const std::int64_t dim = wrap_dim(dim_, self.dim());
  const Tensor filling = full(IntArrayRef(), value, self.dtype());
  Tensor base = as_vector(self);
  warn_if_expanded(self, "index_fill_");
  const Tensor positions = checked_positions(as_vector(index_), dim, base.size(dim), true);
  put_places(base, indexed_places(base, at_dimension(dim, positions)), filling, false);
  return self;
}

Tensor& index_fill_(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& value) {
  if (value.dim() != 0) {
    raise("index_fill_ only supports a 0-dimensional value tensor, but got tensor with " + std::to_string(value.dim()) + " dimension(s).");
  }
  return index_fill_(self, dim, index, tensorlib::item(value));
}

Tensor index_fill(const Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value) {
  Tensor result = clone(self, std::nullopt);
  return index_fill_(result, dim, index, value);
}
Tensor index_fill(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& value) {
  Tensor result = clone(self, std::nullopt);
  return index_fill_(result, dim, index, value);
}

Tensor take(const Tensor& self, const Tensor& index_) {
  if (index_.dtype() != ScalarType::Long)
    raise(std::string("take(): Expected a long tensor for index, but got ") + toString(index_.dtype()));
  if (self.numel() == 0 && index_.numel() != 0) throw IndexError("take(): tried to take from an empty tensor");
  const Tensor flat = reshape(self, DimVector{-1});
  return index(flat, at_dimension(0, checked_positions(index_, 0, flat.numel(), true)));
}

namespace {

/// gather and scatter index every dimension: with its own positions, `dim` with those given.
std::vector<std::optional<Tensor>> indices_of_all(const Tensor& self, std::int64_t dim, const Tensor& index) {
  std::vector<std::optional<Tensor>> indices;
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    if (d == dim) {
      try {
        indices.emplace_back(checked_positions(index, dim, self.size(dim), false));
      } catch (const IndexError& error) {
        raise(error.what());  // PyTorch's type here
      }
      continue;
    }
    DimVector sizes(static_cast<std::size_t>(self.dim()), 1);
    sizes[d] = index.size(d);
    const Tensor positions = tensorlib::empty(sizes, ScalarType::Long);
    for (std::int64_t i = 0; i < positions.numel(); ++i) positions.data_ptr<std::int64_t>()[i] = i;
    indices.emplace_back(positions);
  }
  return indices;
}

void check_gather(const Tensor& self, std::int64_t dim, const Tensor& index, const char* name) {
  if (index.dtype() != ScalarType::Long) raise(std::string(name) + "(): Expected dtype int64 for index");
  if (index.dim() != self.dim()) {
    raise("Index tensor must have the same number of dimensions as " + std::string(name[0] == 'g' ? "input" : "self") + " tensor");
  }
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    if (d != dim && index.size(d) > self.size(d)) {
      raise("Size does not match at dimension " + std::to_string(d) + " expected index " + tensorlib::toString(index.sizes()) +
            " to be smaller than self " + tensorlib::toString(self.sizes()) + " apart from dimension " + std::to_string(dim));
    }
  }
}

}  // namespace

Tensor gather(const Tensor& self_, std::int64_t dim_, const Tensor& index_, bool) {
  const std::int64_t dim = wrap_dim(dim_, self_.dim());
  const Tensor self = as_vector(self_), at = as_vector(index_);
  check_gather(self, dim, at, "gather");
  const Tensor result = index(self, indices_of_all(self, dim, at));
  return index_.dim() == 0 ? view(result, IntArrayRef()) : result;
}

namespace {

/// self[..., index, ...] = src, or += with `accumulate`; `name` is the operator's.
Tensor& scatter_to(Tensor& result, std::int64_t dim_, const Tensor& index_, const Tensor& src_, bool accumulate, const char* name) {
  const std::int64_t dim = wrap_dim(dim_, result.dim());
  if (result.dtype() != src_.dtype()) raise(std::string(name) + "(): Expected self.dtype to be equal to src.dtype");
  assert_no_internal_overlap(result);
  Tensor self = as_vector(result);
  const Tensor at = as_vector(index_);
  if (at.numel() == 0) return result;
  Tensor src = as_vector(src_);
  check_gather(self, dim, at, name);
  for (std::int64_t d = 0; d < at.dim(); ++d) {
    if (src.dim() != at.dim() || at.size(d) > src.size(d)) {
      raise(std::string(name) + "(): index " + tensorlib::toString(at.sizes()) + " reaches beyond src " + tensorlib::toString(src.sizes()));
    }
    src = slice(src, d, 0, at.size(d), 1);
  }
  index_put_(self, indices_of_all(self, dim, at), src, accumulate);
  return result;
}

}  // namespace

Tensor& scatter_add_(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src) {
  return scatter_to(self, dim, index, src, true, "scatter_add");
}
Tensor scatter_add(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src) {
  Tensor result = to(self, self.dtype());
  return scatter_add_(result, dim, index, src);
}

Tensor& scatter_(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src) {
  return scatter_to(self, dim, index, src, false, "scatter");
}
Tensor& scatter_(Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value) {
  return scatter_to(self, dim, index, expand(full(IntArrayRef(), value, self.dtype()), index.sizes()), false, "scatter");
}
Tensor scatter(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src) {
  Tensor result = to(self, self.dtype());
  return scatter_(result, dim, index, src);
}
Tensor scatter(const Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value) {
  Tensor result = to(self, self.dtype());
  return scatter_(result, dim, index, value);
}

Tensor nonzero(const Tensor& self) {
  const Tensor dense = contiguous(to(self, ScalarType::Bool));
  const bool* truth = dense.data_ptr<bool>();
  const std::int64_t found = std::count(truth, truth + dense.numel(), true);
  // Column by column, as PyTorch lays it out.
  const Tensor result = empty_strided(DimVector{found, self.dim()}, DimVector{1, std::max<std::int64_t>(found, 1)}, ScalarType::Long);
  std::int64_t* places = result.data_ptr<std::int64_t>();
  DimVector position(static_cast<std::size_t>(self.dim()), 0);
  std::int64_t row = 0;
  for (std::int64_t i = 0; i < dense.numel(); ++i) {
    if (truth[i]) {
      for (std::size_t d = 0; d < position.size(); ++d) places[static_cast<std::int64_t>(d) * found + row] = position[d];
      ++row;
    }
    for (std::size_t d = position.size(); d-- > 0;) {
      if (++position[d] < self.size(d)) break;
      position[d] = 0;
    }
  }
  return result;
}

std::vector<Tensor> nonzero_numpy(const Tensor& self) {
  return at::unbind(at::nonzero(self.dim() == 0 ? at::unsqueeze(self, 0) : self), 1);
}

Tensor masked_select(const Tensor& self, const Tensor& mask) {
  if (mask.dtype() != ScalarType::Bool) raise("masked_select: expected BoolTensor for mask");
  DimVector shape = infer_size(self.sizes(), mask.sizes());
  if (shape.empty()) shape.push_back(1);
  const std::optional<Tensor> indices[] = {at::expand(mask, shape)};
  return at::index(at::expand(self, shape), indices);
}

}  // namespace tensorlib::native
