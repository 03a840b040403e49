#include "native/IndexingUtils.h"

#include <algorithm>

#include "core/Exception.h"
#include "core/Warning.h"
#include "native/TensorConversions.h"
#include "native/TensorIterator.h"
#include "native/TensorShape.h"

namespace tensorlib::native {

namespace {

bool is_mask(const Tensor& index) { return index.dtype() == ScalarType::Bool || index.dtype() == ScalarType::Byte; }

void check_index_type(const Tensor& index) {
  if (is_mask(index) || index.dtype() == ScalarType::Long || index.dtype() == ScalarType::Int) return;
  throw IndexError("tensors used as indices must be long, int, byte or bool tensors");
}

/// Masks become the positions they have true at, an index per dimension of the mask.
std::vector<Tensor> expand_masks(const Tensor& self, IndexList indices) {
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const Tensor& index = indices[i] ? *indices[i] : Tensor();
    if (!index.defined()) {
      result.emplace_back();
      continue;
    }
    check_index_type(index);
    if (!is_mask(index)) {
      result.push_back(index);
      continue;
    }
    if (index.dtype() == ScalarType::Byte) {
      warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.");
    }
    for (std::int64_t d = 0; d < index.dim(); ++d) {
      const auto at = static_cast<std::int64_t>(result.size()) + d;
      if (at >= self.dim() || index.size(d) != self.size(at)) {
        throw IndexError("The shape of the mask " + tensorlib::toString(index.sizes()) + " at index " + std::to_string(d) +
                         " does not match the shape of the indexed tensor " + tensorlib::toString(self.sizes()) + " at index " +
                         std::to_string(at));
      }
    }
    const Tensor places = nonzero(index);
    for (std::int64_t d = 0; d < index.dim(); ++d) result.push_back(select(places, 1, d));
  }
  return result;
}

/// The shape that all indices broadcast to.
DimVector broadcast_shape(const std::vector<Tensor>& indices) {
  DimVector shape;
  try {
    for (const Tensor& index : indices) {
      if (index.defined()) shape = infer_size(shape, index.sizes());
    }
  } catch (const Error&) {
    std::string shapes;
    for (const Tensor& index : indices) {
      if (index.defined()) shapes += (shapes.empty() ? "" : ", ") + tensorlib::toString(index.sizes());
    }
    throw IndexError("shape mismatch: indexing tensors could not be broadcast together with shapes " + shapes);
  }
  return shape;
}

/// Whether no whole dimension stands between indexed ones.
bool are_adjacent(const std::vector<Tensor>& indices) {
  const auto defined = [](const Tensor& index) { return index.defined(); };
  const auto first = std::find_if(indices.begin(), indices.end(), defined);
  const auto last = std::find_if(indices.rbegin(), indices.rend(), defined).base();
  return std::all_of(first, last, defined);
}

/// Indexed dimensions first, in self and in the list of indices.
Tensor transpose_to_front(const Tensor& self, std::vector<Tensor>& indices) {
  DimVector order;
  std::vector<Tensor> sorted;
  for (const bool indexed : {true, false}) {
    for (std::size_t d = 0; d < indices.size(); ++d) {
      if (indices[d].defined() != indexed) continue;
      order.push_back(static_cast<std::int64_t>(d));
      sorted.push_back(indices[d]);
    }
  }
  indices = std::move(sorted);
  return permute(self, order);
}

/// total += step * index, over the index as it broadcasts to total.
void add_steps(const Tensor& total, const Tensor& index, std::int64_t step) {
  TensorIterator iter = TensorIteratorConfig().add_output(total).add_input(total).add_input(index).resize_outputs(false).build();
  if (iter.numel() == 0) return;
  iter.serial_for_each(
      [step](char** data, const std::int64_t* strides, std::int64_t size0, std::int64_t size1) {
        for (std::int64_t row = 0; row < size1; ++row) {
          char* out = data[0] + row * strides[3];
          const char* in = data[2] + row * strides[5];
          for (std::int64_t i = 0; i < size0; ++i) {
            *reinterpret_cast<std::int64_t*>(out + i * strides[0]) += step * *reinterpret_cast<const std::int64_t*>(in + i * strides[2]);
          }
        }
      },
      0, iter.numel());
}

}  // namespace

void warn_if_expanded(const Tensor& self, const char* name) {
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    if (self.size(d) <= 1 || self.stride(d) != 0) continue;
    return warn("Use of " + std::string(name) +
                " on expanded tensors is deprecated. Please clone() the tensor before performing this operation. This also applies to "
                "advanced indexing e.g. tensor[indices] = tensor");
  }
}

Tensor checked_positions(const Tensor& index, std::int64_t dim, std::int64_t size, bool allow_negative) {
  if (index.numel() > 0 && size == 0) throw IndexError("index is out of bounds for dimension with size 0");
  const Tensor positions = tensorlib::empty(index.sizes(), ScalarType::Long);
  copy_(positions, index);
  std::int64_t* data = positions.data_ptr<std::int64_t>();
  const std::int64_t lowest = allow_negative ? -size : 0;
  for (std::int64_t i = 0; i < positions.numel(); ++i) {
    if (data[i] < lowest || data[i] >= size) {
      throw IndexError("index " + std::to_string(data[i]) + " is out of bounds for dimension " + std::to_string(dim) + " with size " +
                       std::to_string(size));
    }
    if (data[i] < 0) data[i] += size;
  }
  return positions;
}

IndexedPlaces indexed_places(const Tensor& self_, IndexList given) {
  std::vector<Tensor> indices = expand_masks(self_, given);
  if (static_cast<std::int64_t>(indices.size()) > self_.dim()) {
    throw IndexError("too many indices for tensor of dimension " + std::to_string(self_.dim()) + " (got " + std::to_string(indices.size()) +
                     ")");
  }
  const DimVector shape = broadcast_shape(indices);
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (indices[d].defined()) indices[d] = checked_positions(indices[d], static_cast<std::int64_t>(d), self_.size(d), true);
  }
  indices.resize(static_cast<std::size_t>(self_.dim()));
  const Tensor self = are_adjacent(indices) ? self_ : transpose_to_front(self_, indices);

  const Tensor offsets = fill_(tensorlib::empty(shape, ScalarType::Long), 0);
  DimVector sizes, data_strides, offset_strides;
  bool placed = false;
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    if (!indices[d].defined()) {
      sizes.push_back(self.size(d));
      data_strides.push_back(self.stride(d));
      offset_strides.push_back(0);
      continue;
    }
    add_steps(offsets, indices[d], self.stride(d) * self.element_size());
    for (std::int64_t i = 0; !placed && i < offsets.dim(); ++i) {
      sizes.push_back(offsets.size(i));
      data_strides.push_back(0);
      offset_strides.push_back(offsets.stride(i));
    }
    placed = true;
  }
  return {tensorlib::as_strided(self, sizes, data_strides, self.storage_offset()),
          tensorlib::as_strided(offsets, sizes, offset_strides, 0)};
}

}  // namespace tensorlib::native
