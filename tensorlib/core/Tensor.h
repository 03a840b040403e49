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
  /// Size and stride of a dimension counted from the front, 0 <= dim < dim().
  std::int64_t size(std::int64_t dim) const { return impl_->sizes()[dim]; }
  std::int64_t stride(std::int64_t dim) const { return impl_->strides()[dim]; }
  std::int64_t storage_offset() const { return impl_->storage_offset(); }
  const Storage& storage() const { return impl_->storage(); }
  ScalarType dtype() const { return impl_->dtype(); }
  ScalarType scalar_type() const { return impl_->dtype(); }
  std::int64_t element_size() const { return static_cast<std::int64_t>(elementSize(impl_->dtype())); }
  DispatchKeySet key_set() const { return impl_->key_set(); }
  char* data() const { return impl_->data(); }
  template <typename T>
  T* data_ptr() const {
    return reinterpret_cast<T*>(impl_->data());
  }
  bool is_contiguous() const { return impl_->is_contiguous(); }
  bool is_non_overlapping_and_dense() const { return impl_->is_non_overlapping_and_dense(); }
  bool requires_grad() const { return impl_->requires_grad(); }

 protected:
  intrusive_ptr<TensorImpl> impl_;
};

/// A tensor that somebody else keeps alive for as long as this is there: no owner is counted.
class BorrowedTensor final : public Tensor {
 public:
  explicit BorrowedTensor(const Tensor& owner) { impl_ = intrusive_ptr<TensorImpl>::reclaim(owner.impl()); }
  ~BorrowedTensor() { impl_.forget(); }
  BorrowedTensor(const BorrowedTensor&) = delete;
  BorrowedTensor& operator=(const BorrowedTensor&) = delete;
};

/// A tensor that owns, unless it was told to borrow.
class MaybeOwnedTensor final : public Tensor {
 public:
  MaybeOwnedTensor() = default;
  MaybeOwnedTensor(Tensor owned) : Tensor(std::move(owned)) {}
  MaybeOwnedTensor(const MaybeOwnedTensor& other) : Tensor(other) {}  // owns in any case
  MaybeOwnedTensor(MaybeOwnedTensor&& other) noexcept
      : Tensor(std::move(static_cast<Tensor&>(other))), is_borrowed_(std::exchange(other.is_borrowed_, false)) {}
  MaybeOwnedTensor& operator=(MaybeOwnedTensor other) noexcept {
    std::swap(impl_, other.impl_);
    std::swap(is_borrowed_, other.is_borrowed_);
    return *this;
  }
  ~MaybeOwnedTensor() {
    if (is_borrowed_) impl_.forget();
  }

  /// From now on what `owner` is, which must outlive this.
  void borrow(const Tensor& owner) {
    if (defined()) *this = MaybeOwnedTensor();
    impl_ = intrusive_ptr<TensorImpl>::reclaim(owner.impl());
    is_borrowed_ = true;
  }

 private:
  bool is_borrowed_ = false;
};

/// New memory, contents undefined. Dense, row-major unless strides are given.
Tensor empty(IntArrayRef sizes, ScalarType dtype);
Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides, ScalarType dtype);
/// A view of the same storage. The caller vouches that it stays inside.
Tensor as_strided(const Tensor& self, IntArrayRef sizes, IntArrayRef strides, std::int64_t storage_offset);
/// Memory from elsewhere as a tensor; deleter(context) runs when no tensor needs it any more.
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, ScalarType dtype, StorageImpl::Deleter deleter, void* context);
/// A 0-dim tensor of the number's own type (float64, int64 or bool).
Tensor scalar_tensor(const class Scalar& scalar);
/// A 0-dim tensor that stands for a Python number: it has the lowest rank in type promotion.
Tensor wrapped_scalar_tensor(const class Scalar& scalar);
/// The number that a tensor of one element holds.
Scalar item(const Tensor& self);

/// The type that `tensor([1.5])` and `randn` give and that integers are computed in where the result is no integer: float32, unless set.
ScalarType get_default_dtype();
/// Float or Double; raises TypeError for others.
void set_default_dtype(ScalarType type);

/// "[2, 3]".
std::string toString(IntArrayRef sizes);

}  // namespace tensorlib
