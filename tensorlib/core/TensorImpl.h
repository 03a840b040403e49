// A tensor: a shape and strides over a storage.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "core/AutogradMetaInterface.h"
#include "core/DispatchKeySet.h"
#include "core/ScalarType.h"
#include "core/SmallVector.h"
#include "core/Storage.h"
#include "core/VariableVersion.h"

namespace tensorlib {

/// Sizes and strides count elements; the storage offset too. Not synchronised: a tensor that several threads use must not be
/// changed meanwhile.
class TensorImpl : public intrusive_ptr_target {
 public:
  TensorImpl(Storage storage, std::int64_t offset, IntArrayRef sizes, IntArrayRef strides, ScalarType dtype, DispatchKeySet keys);

  /// The same row by row; `numel` is what the sizes multiply to.
  TensorImpl(Storage storage, IntArrayRef sizes, std::int64_t numel, ScalarType dtype, DispatchKeySet keys);

  IntArrayRef sizes() const { return sizes_; }
  IntArrayRef strides() const { return strides_; }
  std::int64_t dim() const { return static_cast<std::int64_t>(sizes_.size()); }
  std::int64_t numel() const { return numel_; }
  ScalarType dtype() const { return dtype_; }
  DispatchKeySet key_set() const { return key_set_; }
  const Storage& storage() const { return storage_; }
  std::int64_t storage_offset() const { return storage_offset_; }
  char* data() const { return storage_->data() + storage_offset_ * static_cast<std::int64_t>(elementSize(dtype_)); }

  bool is_contiguous() const { return is_contiguous_; }
  /// Whether the elements fill one run of memory, each once, in whatever order of dimensions.
  bool is_non_overlapping_and_dense() const { return is_non_overlapping_and_dense_; }

  /// Another shape over the same storage, which the caller has made large enough.
  void set_sizes_and_strides(IntArrayRef sizes, IntArrayRef strides, std::int64_t storage_offset);
  void set_storage(Storage storage) { storage_ = std::move(storage); }
  bool is_inference() const { return !key_set_.has(DispatchKey::ADInplaceOrView); }

  /// Whether gradients are wanted for it or pass through it.
  bool requires_grad() const { return requires_grad_ || (autograd_meta_ && autograd_meta_->requires_grad()); }
  void set_requires_grad(bool value) { requires_grad_ = value; }
  /// Whether no operation that gradients pass through made it.
  bool is_leaf() const { return !autograd_meta_ || autograd_meta_->is_leaf(); }
  /// Null until autograd has something to remember of this tensor.
  AutogradMetaInterface* autograd_meta() const { return autograd_meta_.get(); }
  void set_autograd_meta(std::unique_ptr<AutogradMetaInterface> meta) { autograd_meta_ = std::move(meta); }

  /// The count of in-place writes, to share with a view or an alias. Safe from any thread.
  VariableVersion version_counter() const;
  void set_version_counter(VariableVersion counter) { version_counter_ = std::move(counter); }
  std::uint32_t current_version() const { return version_counter_.current_version(); }
  void bump_version() { version_counter().bump(); }

  /// True for the tensor that a Python number became: it does not take part in type promotion against tensors with elements.
  bool is_wrapped_number() const { return is_wrapped_number_; }
  void set_wrapped_number(bool value) { is_wrapped_number_ = value; }

  /// Becomes a tensor over another's memory, of its sizes and type. Gradients and the count of writes stay this tensor's own.
  void shallow_copy_from(const TensorImpl& from);

  /// The Python object that stands for this tensor while one does; owned by the binding, guarded by the GIL.
  void* pyobj() const { return pyobj_; }
  void set_pyobj(void* object) { pyobj_ = object; }

  /// Whether the tensor owns that object, rather than the object the tensor: Python has let go of it, and what it knows (its class,
  /// attributes, weak references) must be there when Python asks again. Written with the GIL.
  bool owns_pyobj() const { return owns_pyobj_; }
  void set_owns_pyobj(bool owns) { owns_pyobj_ = owns; }
  /// Runs when the last owner of such a tensor goes: true says that its share, which is counted, is the object's now.
  static bool (*give_back_to_pyobj)(TensorImpl& tensor);
  /// Asked by the last owner; `is_counted` says whether its share still is.
  bool is_taken_over(bool is_counted) {
    if (!owns_pyobj_) return false;
    if (!is_counted) regain_owner();
    return give_back_to_pyobj(*this);
  }

 private:
  Storage storage_;
  std::int64_t storage_offset_;
  DimVector sizes_;
  DimVector strides_;
  std::int64_t numel_;
  DispatchKeySet key_set_;
  ScalarType dtype_;
  bool is_contiguous_;
  bool is_non_overlapping_and_dense_;
  bool requires_grad_ = false;
  bool is_wrapped_number_ = false;
  bool owns_pyobj_ = false;
  void* pyobj_ = nullptr;
  std::unique_ptr<AutogradMetaInterface> autograd_meta_;
  mutable VariableVersion version_counter_;
};

/// The most elements that sizes may multiply to, so that no offset in bytes overflows.
constexpr std::int64_t max_elements = std::int64_t{1} << 59;
/// Number of elements; raises Error on a negative size or when there are more than max_elements.
std::int64_t multiply_sizes(IntArrayRef sizes);
/// Elements of storage from the first to the last that sizes and strides reach, 0 for no elements; raises Error on overflow.
std::int64_t storage_reach(IntArrayRef sizes, IntArrayRef strides);
/// Row-major strides for these sizes.
DimVector contiguous_strides(IntArrayRef sizes);

}  // namespace tensorlib
