#include "native/TensorFactories.h"

#include "core/Exception.h"
#include "native/TensorConversions.h"
#include "native/TensorIterator.h"
#include "native/TensorShape.h"
#include "ops/NativeFunctions.h"

namespace tensorlib::native {

ScalarType infer_dtype(const Scalar& value, std::optional<ScalarType> dtype) {
  if (dtype) return *dtype;
  return value.isFloatingPoint() ? get_default_dtype() : value.type();
}

Tensor full(IntArrayRef size, const Scalar& value, std::optional<ScalarType> dtype) {
  return fill_(tensorlib::empty(size, infer_dtype(value, dtype)), value);
}

Tensor zeros(IntArrayRef size, std::optional<ScalarType> dtype) { return full(size, 0, dtype.value_or(get_default_dtype())); }
Tensor ones(IntArrayRef size, std::optional<ScalarType> dtype) { return full(size, 1, dtype.value_or(get_default_dtype())); }

Tensor eye(std::int64_t n, std::optional<ScalarType> dtype) { return eye(n, n, dtype); }

Tensor eye(std::int64_t n, std::int64_t m, std::optional<ScalarType> dtype) {
  if (n < 0) raise("n must be greater or equal to 0, got " + std::to_string(n));
  if (m < 0) raise("m must be greater or equal to 0, got " + std::to_string(m));
  const Tensor result = zeros(DimVector{n, m}, dtype);
  fill_(diagonal(result, 0, 0, 1), 1);
  return result;
}

Tensor empty(IntArrayRef size, std::optional<ScalarType> dtype) { return tensorlib::empty(size, dtype.value_or(get_default_dtype())); }

Tensor empty_strided(IntArrayRef size, IntArrayRef stride, std::optional<ScalarType> dtype) {
  if (size.size() != stride.size()) {
    raise("dimensionality of sizes (" + std::to_string(size.size()) + ") must match dimensionality of strides (" +
          std::to_string(stride.size()) + ")");
  }
  for (std::int64_t step : stride) {
    if (step < 0) raise("empty_strided: negative strides are not supported, got strides: " + tensorlib::toString(stride));
  }
  return tensorlib::empty_strided(size, stride, dtype.value_or(get_default_dtype()));
}

Tensor empty_like(const Tensor& self, std::optional<ScalarType> dtype) {
  const ScalarType type = dtype.value_or(self.dtype());
  if (self.is_non_overlapping_and_dense()) return tensorlib::empty_strided(self.sizes(), self.strides(), type);
  TensorIterator iter;
  iter.build_copy_op(Tensor(), self, type);
  return iter.output();
}

Tensor full_like(const Tensor& self, const Scalar& value, std::optional<ScalarType> dtype) { return fill_(empty_like(self, dtype), value); }
Tensor zeros_like(const Tensor& self, std::optional<ScalarType> dtype) { return full_like(self, 0, dtype); }
Tensor ones_like(const Tensor& self, std::optional<ScalarType> dtype) { return full_like(self, 1, dtype); }

Tensor new_empty(const Tensor& self, IntArrayRef size, std::optional<ScalarType> dtype) {
  return tensorlib::empty(size, dtype.value_or(self.dtype()));
}
Tensor new_full(const Tensor& self, IntArrayRef size, const Scalar& value, std::optional<ScalarType> dtype) {
  return full(size, value, dtype.value_or(self.dtype()));
}
Tensor new_zeros(const Tensor& self, IntArrayRef size, std::optional<ScalarType> dtype) { return new_full(self, size, 0, dtype); }
Tensor new_ones(const Tensor& self, IntArrayRef size, std::optional<ScalarType> dtype) { return new_full(self, size, 1, dtype); }

Tensor scalar_tensor(const Scalar& s, std::optional<ScalarType> dtype) {
  return full(IntArrayRef(), s, dtype.value_or(get_default_dtype()));
}

}  // namespace tensorlib::native
