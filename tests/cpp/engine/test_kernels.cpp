// The kernels of every capability: bits must follow from the element alone, whatever the length, stride or capability.
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "capabilities.hpp"
#include "core/Scalar.h"
#include "native/BinaryOps.h"
#include "native/Pow.h"
#include "ops/NativeFunctions.h"
#include "native/TensorFactories.h"
#include "native/TensorShape.h"

namespace tensorlib {
namespace {

using engine_tests::CPUCapability;
using native::structured_pow_Tensor_Scalar;

template <typename T>
constexpr ScalarType dtype_of = sizeof(T) == 4 ? ScalarType::Float : ScalarType::Double;

template <typename T>
std::vector<T> values(std::int64_t n) {
  using limits = std::numeric_limits<T>;
  const std::vector<T> odd = {T(-1.1523602),
                              T(0),
                              -T(0),
                              T(4.962565898895264),
                              limits::infinity(),
                              -limits::infinity(),
                              limits::quiet_NaN(),
                              T(-1),
                              limits::min(),
                              limits::max(),
                              T(6e-20),
                              T(1e20),
                              limits::denorm_min(),
                              T(2),
                              T(0.1),
                              T(-3.5),
                              T(2e19)};
  std::vector<T> result(n);
  for (std::int64_t i = 0; i < n; ++i) result[i] = odd[i % odd.size()];
  return result;
}

/// The rule for scalar exponents, written without vectors.
template <typename T>
T expected_pow(T x, double exponent) {
  const T infinity = std::numeric_limits<T>::infinity();
  const T e = static_cast<T>(exponent);
  if (e == T(2)) return x * x;
  if (e == T(3)) return x * x * x;
  if (e == T(-1)) return T(1) / x;
  if (e == T(0.5)) return x == -infinity ? infinity : std::sqrt(x + T(0));
  if (e == T(-0.5)) return x == -infinity ? T(0) : T(1) / std::sqrt(x + T(0));
  const T low = std::ldexp(T(1), sizeof(T) == 4 ? -62 : -510), high = std::ldexp(T(1), sizeof(T) == 4 ? 63 : 511);
  if (e == T(-2) && std::fabs(x) >= low && std::fabs(x) <= high) return T(1) / (x * x);
  return std::pow(x, e);
}

template <typename T>
bool same(T x, T y) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  return std::memcmp(&x, &y, sizeof x) == 0;
}

/// A tensor of these values with `stride` elements from one to the next.
template <typename T>
Tensor strided(const std::vector<T>& data, std::int64_t stride) {
  const auto n = static_cast<std::int64_t>(data.size());
  const Tensor base = native::full(DimVector{n, stride}, -7.0, dtype_of<T>);
  for (std::int64_t i = 0; i < n; ++i) reinterpret_cast<T*>(base.data())[i * stride] = data[i];
  return native::select(base, 1, 0);
}

template <typename T>
void check_pow(CPUCapability capability, double exponent, std::int64_t n, std::int64_t stride) {
  const std::vector<T> data = values<T>(n);
  TensorIterator iter;
  iter.build_unary_op(Tensor(), strided(data, stride));
  native::pow_tensor_scalar_stub.choose_cpu_impl(capability)(iter, exponent);
  const T* result = reinterpret_cast<const T*>(iter.output().data());
  for (std::int64_t i = 0; i < n; ++i) {
    ASSERT_TRUE(same(result[i], expected_pow(data[i], exponent)))
        << data[i] << " ** " << exponent << " is " << result[i] << ", not " << expected_pow(data[i], exponent) << "; " << i << " of " << n
        << ", stride " << stride;
  }
}

class Kernels : public engine_tests::EveryCapability {};

TEST_P(Kernels, PowGivesTheSameBitsAtEveryLengthAndStride) {
  for (double exponent : {2.0, 3.0, 0.5, -0.5, -1.0, -2.0, 2.3, -3.0, 7.0, 0.5 + 1e-12, 1e39, 16777217.0}) {
    for (std::int64_t n : {1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100}) {
      for (std::int64_t stride : {1, 2, 3}) {
        check_pow<float>(GetParam(), exponent, n, stride);
        check_pow<double>(GetParam(), exponent, n, stride);
      }
    }
  }
}

template <typename T>
void check_binary(CPUCapability capability, double alpha, std::int64_t n, std::int64_t stride_a, std::int64_t stride_b) {
  const std::vector<T> a = values<T>(n);
  std::vector<T> b = values<T>(n + 5);
  b.erase(b.begin(), b.begin() + 5);
  const bool one_number = stride_b == 0;
  TensorIterator sum, product;
  const Tensor ta = strided(a, stride_a), tb = one_number ? native::full({}, static_cast<double>(b[0]), dtype_of<T>) : strided(b, stride_b);
  sum.build_binary_op(Tensor(), ta, tb);
  native::add_stub.choose_cpu_impl(capability)(sum, alpha);
  product.build_binary_op(Tensor(), tb, ta);
  native::mul_stub.choose_cpu_impl(capability)(product);
  for (std::int64_t i = 0; i < n; ++i) {
    const T y = one_number ? b[0] : b[i];
    ASSERT_TRUE(same(reinterpret_cast<const T*>(sum.output().data())[i], std::fma(static_cast<T>(alpha), y, a[i]))) << a[i] << " " << y;
    ASSERT_TRUE(same(reinterpret_cast<const T*>(product.output().data())[i], y * a[i])) << a[i] << " " << y;
  }
}

TEST_P(Kernels, AddAndMulGiveTheSameBitsAtEveryLengthStrideAndBroadcast) {
  for (double alpha : {1.0, -1.0, 0.1}) {
    for (std::int64_t n : {1, 15, 16, 17, 33, 64, 65}) {
      for (std::int64_t stride_b : {0, 1, 2}) {
        check_binary<float>(GetParam(), alpha, n, 1, stride_b);
        check_binary<double>(GetParam(), alpha, n, 3, stride_b);
        check_binary<double>(GetParam(), alpha, n, 1, stride_b);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Kernels, engine_tests::all_capabilities(), engine_tests::capability_name);

}  // namespace
}  // namespace tensorlib
