// The exponents with a form of their own: every float there is as the base, the same bits at every capability, and those of the form
// written without vectors.
//
// Every 1021st block of floats, unless CALLPATH_EVERY_FLOAT is set: then all of them, which takes minutes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "core/Scalar.h"
#include "native/DispatchStub.h"
#include "native/Pow.h"
#include "native/TensorIterator.h"

namespace tensorlib {
namespace {

using native::CPUCapability;

constexpr std::uint32_t block = 1u << 16;
constexpr float infinity = std::numeric_limits<float>::infinity();

/// What the form gives; nan where only the general function knows.
float form(float x, float exponent) {
  const float size = std::fabs(x);
  if (exponent == 2.0f) return x * x;
  if (exponent == 3.0f) return x * x * x;
  if (exponent == -1.0f) return 1.0f / x;
  if (exponent == 0.5f) return x == -infinity ? infinity : std::sqrt(x + 0.0f);
  if (exponent == -0.5f) return x == -infinity ? 0.0f : 1.0f / std::sqrt(x + 0.0f);
  return size >= 0x1p-62f && size <= 0x1p63f ? 1.0f / (x * x) : std::numeric_limits<float>::quiet_NaN();
}

/// C's pow in double, rounded, for x to the -2 outside of the form's range: within one place of the general function, which is not rounded
/// from a double.
bool near_inverse_square(float result, float x) {
  if (x != x) return result != result;
  const auto exact = static_cast<float>(std::pow(static_cast<double>(x), -2.0));
  return result == exact || std::nextafter(result, exact) == exact;
}

bool same(float a, float b) { return (a != a && b != b) || std::memcmp(&a, &b, sizeof a) == 0; }

class Blocks {
 public:
  Blocks() : base_(empty(DimVector{block}, ScalarType::Float)) {}

  void fill(std::uint64_t first) {
    for (std::uint32_t i = 0; i < block; ++i) {
      const auto pattern = static_cast<std::uint32_t>(first + i);
      std::memcpy(base() + i, &pattern, sizeof pattern);
    }
  }
  float* base() const { return base_.data_ptr<float>(); }

  std::vector<float> to_the(float exponent, CPUCapability capability) const {
    TensorIterator iterator;
    iterator.build_unary_op(Tensor(), base_);
    native::pow_tensor_scalar_stub.choose_cpu_impl(capability)(iterator, Scalar(static_cast<double>(exponent)));
    const float* results = iterator.output().data_ptr<float>();
    return {results, results + block};
  }

 private:
  Tensor base_;
};

std::size_t differences(const std::vector<float>& a, const std::vector<float>& b) {
  if (std::memcmp(a.data(), b.data(), block * sizeof(float)) == 0) return 0;
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < block; ++i) count += !same(a[i], b[i]);
  return count;
}

std::size_t wrong(const std::vector<float>& results, const float* base, float exponent) {
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < block; ++i) {
    const float expected = form(base[i], exponent);
    if (exponent == -2.0f && expected != expected) {
      count += !near_inverse_square(results[i], base[i]);
    } else {
      count += !same(results[i], expected);
    }
  }
  return count;
}

class EveryFloat : public testing::TestWithParam<float> {};

TEST_P(EveryFloat, ToAShortExponentHasEqualBitsForEveryCapability) {
  const std::uint64_t every = std::getenv("CALLPATH_EVERY_FLOAT") ? 1 : 1021;
  const float exponent = GetParam();
  const CPUCapability best = native::best_cpu_capability();
  Blocks blocks;
  std::uint64_t compared = 0;
  std::size_t unlike_each_other = 0, unlike_the_form = 0;
  for (std::uint64_t first = 0; first < std::uint64_t{1} << 32; first += block * every) {
    blocks.fill(first);
    const std::vector<float> expected = blocks.to_the(exponent, CPUCapability::DEFAULT);
    unlike_the_form += wrong(expected, blocks.base(), exponent);
    for (CPUCapability capability : {CPUCapability::AVX2, CPUCapability::AVX512}) {
      if (capability <= best) unlike_each_other += differences(blocks.to_the(exponent, capability), expected);
    }
    compared += block;
  }
  std::printf("  %llu floats to the %g\n", static_cast<unsigned long long>(compared), static_cast<double>(exponent));
  EXPECT_EQ(unlike_each_other, 0u);
  EXPECT_EQ(unlike_the_form, 0u);
}

INSTANTIATE_TEST_SUITE_P(, EveryFloat, testing::Values(2.0f, 3.0f, 0.5f, -0.5f, -1.0f, -2.0f), [](const auto& info) {
  const float size = std::fabs(info.param);
  return std::string(info.param < 0 ? "minus_" : "") + (size == 0.5f ? "half" : std::to_string(static_cast<int>(size)));
});

}  // namespace
}  // namespace tensorlib
