#include "core/Tensor.h"

#include <atomic>

#include "core/Dispatch.h"
#include "core/Exception.h"
#include "core/LocalDispatchKeySet.h"
#include "core/Scalar.h"

namespace tensorlib {

namespace {
std::atomic<ScalarType> default_dtype = ScalarType::Float;

DispatchKeySet keys_of_new_tensors() { return InferenceMode::is_enabled() ? inference_tensor_keyset : cpu_tensor_keyset; }
}  // namespace

Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides, ScalarType dtype) {
  multiply_sizes(sizes);
  auto storage = make_intrusive<StorageImpl>(static_cast<std::size_t>(storage_reach(sizes, strides)) * elementSize(dtype));
  return Tensor(make_intrusive<TensorImpl>(std::move(storage), 0, sizes, strides, dtype, keys_of_new_tensors()));
}

Tensor empty(IntArrayRef sizes, ScalarType dtype) {
  const std::int64_t numel = multiply_sizes(sizes);
  auto storage = make_intrusive<StorageImpl>(static_cast<std::size_t>(numel) * elementSize(dtype));
  return Tensor(make_intrusive<TensorImpl>(std::move(storage), sizes, numel, dtype, keys_of_new_tensors()));
}

Tensor as_strided(const Tensor& self, IntArrayRef sizes, IntArrayRef strides, std::int64_t storage_offset) {
  return Tensor(make_intrusive<TensorImpl>(self.impl()->storage(), storage_offset, sizes, strides, self.dtype(), self.key_set()));
}

Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, ScalarType dtype, StorageImpl::Deleter deleter, void* context) {
  const std::size_t nbytes = static_cast<std::size_t>(storage_reach(sizes, strides)) * elementSize(dtype);
  auto storage = make_intrusive<StorageImpl>(data, nbytes, deleter, context);
  return Tensor(make_intrusive<TensorImpl>(std::move(storage), 0, sizes, strides, dtype, keys_of_new_tensors()));
}

Tensor scalar_tensor(const Scalar& scalar) {
  Tensor result = empty({}, scalar.type());
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(scalar.type(), "scalar_tensor", { *result.data_ptr<scalar_t>() = scalar.cast<scalar_t>(); });
  return result;
}

Tensor wrapped_scalar_tensor(const Scalar& scalar) {
  Tensor result = scalar_tensor(scalar);
  result.impl()->set_wrapped_number(true);
  return result;
}

Scalar item(const Tensor& self) {
  if (self.numel() != 1) raise("a Tensor with " + std::to_string(self.numel()) + " elements cannot be converted to Scalar");
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(self.dtype(), "item", { return Scalar(*self.data_ptr<scalar_t>()); });
}

ScalarType get_default_dtype() { return default_dtype.load(std::memory_order_relaxed); }

void set_default_dtype(ScalarType type) {
  if (!isFloatingType(type)) throw TypeError("only floating-point types are supported as the default type");
  default_dtype.store(type, std::memory_order_relaxed);
}

std::string toString(IntArrayRef sizes) {
  std::string text = "[";
  for (std::size_t i = 0; i < sizes.size(); ++i) text += (i ? ", " : "") + std::to_string(sizes[i]);
  return text + "]";
}

}  // namespace tensorlib
