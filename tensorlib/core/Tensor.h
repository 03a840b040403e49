// The handle that the engine passes around: a counted pointer to a TensorImpl.
#pragma once

#include <utility>

#include "core/TensorImpl.h"

namespace tensorlib {

class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(intrusive_ptr<TensorImpl> impl) : impl_(std::move(impl)) {}

  bool defined() const { return static_cast<bool>(impl_); }
  TensorImpl* impl() const { return impl_.get(); }
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }

  IntArrayRef sizes() const { return impl_->sizes(); }
  IntArrayRef strides() const { return impl_->strides(); }
  std::int64_t dim() const { return impl_->dim(); }
  std::int64_t numel() const { return impl_->numel(); }
  ScalarType dtype() const { return impl_->dtype(); }
  DispatchKeySet key_set() const { return impl_->key_set(); }
  char* data() const { return impl_->data(); }
  bool is_contiguous() const { return impl_->is_contiguous(); }
  bool requires_grad() const { return impl_->requires_grad(); }

 private:
  intrusive_ptr<TensorImpl> impl_;
};

/// New memory, contents undefined. Dense, row-major unless strides are given.
Tensor empty(IntArrayRef sizes, ScalarType dtype);
Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides, ScalarType dtype);
/// A view of the same storage. The caller vouches that it stays inside.
Tensor as_strided(const Tensor& self, IntArrayRef sizes, IntArrayRef strides, std::int64_t storage_offset);
/// A 0-dim tensor for a Python number, converted once to `dtype`, the type of the tensor it meets.
Tensor wrapped_scalar_tensor(const class Scalar& scalar, ScalarType dtype);

/// The type that `tensor([1.5])` and `randn` give: float32.
constexpr ScalarType default_dtype = ScalarType::Float;

/// "[2, 3]".
std::string toString(IntArrayRef sizes);

}  // namespace tensorlib
