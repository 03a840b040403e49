#include "native/TensorFactories.h"

#include "native/Distributions.h"
#include "native/TensorConversions.h"

namespace tensorlib::native {

Tensor full(IntArrayRef sizes, const Scalar& value, ScalarType dtype) {
  Tensor result = empty(sizes, dtype);
  fill_(result, value);
  return result;
}

Tensor randn(IntArrayRef sizes, std::optional<ScalarType> wanted) {
  const ScalarType dtype = wanted.value_or(default_dtype);
  Tensor result = empty(sizes, dtype);
  CPUGenerator& generator = default_generator();
  const std::lock_guard lock(generator.mutex());
  if (dtype == ScalarType::Double) {
    normal_fill(reinterpret_cast<double*>(result.data()), result.numel(), generator);
  } else {
    normal_fill(reinterpret_cast<float*>(result.data()), result.numel(), generator);
  }
  return result;
}

}  // namespace tensorlib::native
