#include "core/TensorImpl.h"

#include <algorithm>
#include <mutex>

#include "core/Exception.h"
#include "core/Tensor.h"

namespace tensorlib {

namespace {

bool has_contiguous_strides(IntArrayRef sizes, IntArrayRef strides, std::int64_t numel) {
  if (numel == 0) return true;
  std::int64_t expected = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 1) continue;
    if (strides[i] != expected) return false;
    expected *= sizes[i];
  }
  return true;
}

bool has_dense_strides(IntArrayRef sizes, IntArrayRef strides) {
  SmallVector<std::size_t, 8> order;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] != 1) order.push_back(d);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return strides[a] < strides[b]; });
  std::int64_t expected = 1;
  for (std::size_t d : order) {
    if (strides[d] != expected) return false;
    expected *= sizes[d];
  }
  return true;
}

}  // namespace

TensorImpl::TensorImpl(Storage storage, std::int64_t offset, IntArrayRef sizes, IntArrayRef strides, ScalarType dtype, DispatchKeySet keys)
    : storage_(std::move(storage)),
      storage_offset_(offset),
      sizes_(sizes),
      strides_(strides),
      numel_(multiply_sizes(sizes)),
      key_set_(keys),
      dtype_(dtype),
      is_contiguous_(has_contiguous_strides(sizes, strides, numel_)),
      is_non_overlapping_and_dense_(is_contiguous_ || has_dense_strides(sizes, strides)) {}

TensorImpl::TensorImpl(Storage storage, IntArrayRef sizes, std::int64_t numel, ScalarType dtype, DispatchKeySet keys)
    : storage_(std::move(storage)),
      storage_offset_(0),
      sizes_(sizes),
      strides_(contiguous_strides(sizes)),
      numel_(numel),
      key_set_(keys),
      dtype_(dtype),
      is_contiguous_(true),
      is_non_overlapping_and_dense_(true) {}

bool (*TensorImpl::give_back_to_pyobj)(TensorImpl&) = nullptr;

void TensorImpl::shallow_copy_from(const TensorImpl& from) {
  storage_ = from.storage_;
  dtype_ = from.dtype_;
  set_sizes_and_strides(from.sizes_, from.strides_, from.storage_offset_);
}

void TensorImpl::set_sizes_and_strides(IntArrayRef sizes, IntArrayRef strides, std::int64_t storage_offset) {
  numel_ = multiply_sizes(sizes);
  sizes_ = DimVector(sizes);
  strides_ = DimVector(strides);
  storage_offset_ = storage_offset;
  is_contiguous_ = has_contiguous_strides(sizes_, strides_, numel_);
  is_non_overlapping_and_dense_ = is_contiguous_ || has_dense_strides(sizes_, strides_);
}

VariableVersion TensorImpl::version_counter() const {
  // Threads may save one tensor at the same time; the first of them makes the counter.
  static std::mutex first_use;
  const std::lock_guard lock(first_use);
  if (!version_counter_.enabled()) version_counter_ = VariableVersion(0);
  return version_counter_;
}

std::int64_t multiply_sizes(IntArrayRef sizes) {
  if (sizes.size() == 1 && sizes[0] >= 0 && sizes[0] <= max_elements) return sizes[0];
  std::int64_t numel = 1;
  std::int64_t reach = 1;  // what strides multiply up to: a size of 0 counts as 1 there
  bool overflow = false;
  for (std::int64_t size : sizes) {
    if (size < 0) raise("Trying to create tensor with negative dimension " + std::to_string(size) + ": " + toString(sizes));
    overflow |= __builtin_mul_overflow(reach, std::max<std::int64_t>(size, 1), &reach) || reach > max_elements;
    if (overflow) raise("not enough memory: a tensor of this shape has more elements than an address space has room for");
    numel *= size;
  }
  return numel;
}

std::int64_t storage_reach(IntArrayRef sizes, IntArrayRef strides) {
  std::int64_t last = 0;
  bool overflow = false;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return 0;
    std::int64_t step;
    overflow |=
        __builtin_mul_overflow(sizes[i] - 1, strides[i], &step) || __builtin_add_overflow(last, step, &last) || last >= max_elements;
  }
  if (overflow)
    raise("not enough memory: sizes " + toString(sizes) + " with strides " + toString(strides) + " reach beyond an address space");
  return last + 1;
}

DimVector contiguous_strides(IntArrayRef sizes) {
  DimVector strides(sizes.size());
  std::int64_t next = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    strides[i] = next;
    next *= std::max<std::int64_t>(sizes[i], 1);
  }
  return strides;
}

}  // namespace tensorlib
