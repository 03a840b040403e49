// Vectorized<T> against scalar arithmetic of this (baseline) source: same bits for every operation, lane and odd value.
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "capabilities.hpp"
#include "vectorized_ops.hpp"

namespace engine_tests {
namespace {

const VectorOps<float>& float_ops(CPUCapability capability) {
  return capability == CPUCapability::AVX512 ? float_AVX512 : capability == CPUCapability::AVX2 ? float_AVX2 : float_DEFAULT;
}
const VectorOps<double>& double_ops(CPUCapability capability) {
  return capability == CPUCapability::AVX512 ? double_AVX512 : capability == CPUCapability::AVX2 ? double_AVX2 : double_DEFAULT;
}

template <typename T>
T expected(VectorOp op, T a, T b, T c) {
  switch (op) {
    case VectorOp::add:
      return a + b;
    case VectorOp::subtract:
      return a - b;
    case VectorOp::multiply:
      return a * b;
    case VectorOp::divide:
      return a / b;
    case VectorOp::square_root:
      return std::sqrt(a);
    case VectorOp::absolute:
      return std::fabs(a);
    case VectorOp::fused:
      return std::fma(a, b, c);
    case VectorOp::where_equal:
      return a == b ? c : b;
    case VectorOp::where_less:
      return a < b ? c : b;
    case VectorOp::where_greater:
      return a > b ? c : b;
    case VectorOp::map_negate:
      return -a;
  }
  return a;
}

/// Equal bits; any nan equals any nan.
template <typename T>
bool same(T x, T y) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  return std::memcmp(&x, &y, sizeof x) == 0;
}

template <typename T>
std::vector<T> odd_values() {
  using limits = std::numeric_limits<T>;
  return {T(0),
          -T(0),
          T(1),
          T(-1.1523602),
          T(3.7),
          limits::min(),
          limits::denorm_min(),
          limits::max(),
          limits::lowest(),
          limits::infinity(),
          -limits::infinity(),
          limits::quiet_NaN(),
          T(0.1),
          T(-2)};
}

template <typename T>
void compare(const VectorOps<T>& ops) {
  const std::vector<T> values = odd_values<T>();
  const std::size_t count = values.size();
  std::vector<T> a(ops.size), b(ops.size), c(ops.size), out(ops.size);
  for (int op = 0; op <= static_cast<int>(VectorOp::map_negate); ++op) {
    for (std::size_t shift = 0; shift < count * count; ++shift) {
      for (int lane = 0; lane < ops.size; ++lane) {
        a[lane] = values[(shift + lane) % count];
        b[lane] = values[(shift / count + 3 * lane) % count];
        c[lane] = values[(shift + 5 * lane + 1) % count];
      }
      ops.run(static_cast<VectorOp>(op), a.data(), b.data(), c.data(), out.data());
      for (int lane = 0; lane < ops.size; ++lane) {
        ASSERT_TRUE(same(out[lane], expected(static_cast<VectorOp>(op), a[lane], b[lane], c[lane])))
            << "operation " << op << ", lane " << lane << ", of " << a[lane] << ", " << b[lane] << ", " << c[lane] << ": " << out[lane];
      }
    }
  }
}

template <typename T>
void mask_sees_each_lane(const VectorOps<T>& ops) {
  std::vector<T> a(ops.size, T(1)), b(ops.size, T(1));
  EXPECT_FALSE(ops.any_less(a.data(), b.data()));
  for (int lane = 0; lane < ops.size; ++lane) {
    a[lane] = T(0.5);
    EXPECT_TRUE(ops.any_less(a.data(), b.data())) << lane;
    a[lane] = T(1);
  }
}

class Vectorized : public EveryCapability {};

TEST_P(Vectorized, Float32OperationsGiveTheBitsOfScalarArithmetic) { compare(float_ops(GetParam())); }
TEST_P(Vectorized, Float64OperationsGiveTheBitsOfScalarArithmetic) { compare(double_ops(GetParam())); }
TEST_P(Vectorized, AMaskSeesEachLane) {
  mask_sees_each_lane(float_ops(GetParam()));
  mask_sees_each_lane(double_ops(GetParam()));
}
TEST_P(Vectorized, HoldsARegister) {
  const int bytes = GetParam() == CPUCapability::AVX512 ? 64 : GetParam() == CPUCapability::AVX2 ? 32 : 16;
  EXPECT_EQ(float_ops(GetParam()).size * 4, bytes);
  EXPECT_EQ(double_ops(GetParam()).size * 8, bytes);
}

INSTANTIATE_TEST_SUITE_P(, Vectorized, all_capabilities(), capability_name);

}  // namespace
}  // namespace engine_tests
