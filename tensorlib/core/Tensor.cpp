#include "core/Tensor.h"

#include "core/Exception.h"
#include "core/LocalDispatchKeySet.h"
#include "core/Scalar.h"

namespace tensorlib {

namespace {

/// Elements from the first to the last that these strides reach, or 0 for no elements. Strides are never negative.
std::int64_t reach(IntArrayRef sizes, IntArrayRef strides) {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return 0;
    last += (sizes[i] - 1) * strides[i];
  }
  return last + 1;
}

}  // namespace

Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides, ScalarType dtype) {
  multiply_sizes(sizes);
  auto storage = make_intrusive<StorageImpl>(static_cast<std::size_t>(reach(sizes, strides)) * elementSize(dtype));
  const DispatchKeySet keys = InferenceMode::is_enabled() ? inference_tensor_keyset : cpu_tensor_keyset;
  return Tensor(make_intrusive<TensorImpl>(std::move(storage), 0, sizes, strides, dtype, keys));
}

Tensor empty(IntArrayRef sizes, ScalarType dtype) {
  multiply_sizes(sizes);
  return empty_strided(sizes, contiguous_strides(sizes), dtype);
}

Tensor as_strided(const Tensor& self, IntArrayRef sizes, IntArrayRef strides, std::int64_t storage_offset) {
  return Tensor(make_intrusive<TensorImpl>(self.impl()->storage(), storage_offset, sizes, strides, self.dtype(), self.key_set()));
}

Tensor wrapped_scalar_tensor(const Scalar& scalar, ScalarType dtype) {
  Tensor result = empty({}, dtype);
  if (dtype == ScalarType::Double) {
    *reinterpret_cast<double*>(result.data()) = scalar.toDouble();
  } else {
    *reinterpret_cast<float*>(result.data()) = scalar.toFloat();
  }
  result.impl()->set_wrapped_number(true);
  return result;
}

std::string toString(IntArrayRef sizes) {
  std::string text = "[";
  for (std::size_t i = 0; i < sizes.size(); ++i) text += (i ? ", " : "") + std::to_string(sizes[i]);
  return text + "]";
}

}  // namespace tensorlib
