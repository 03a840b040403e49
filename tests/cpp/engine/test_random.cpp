// The random engine against the standard library's MT19937, and normals against their definition. PyTorch's published bits are tested from
// Python (tests/python/test_engine_random.py).
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/CPUGenerator.h"
#include "native/Distributions.h"

namespace tensorlib {
namespace {

TEST(CPUGenerator, DrawsWhatMT19937Draws) {
  for (std::uint32_t seed : {0u, 1u, 12345u, 0xffffffffu}) {
    CPUGenerator generator(seed);
    std::mt19937 reference(seed);
    for (int i = 0; i < 2000; ++i) ASSERT_EQ(generator.random(), reference()) << "seed " << seed << ", draw " << i;
  }
}

TEST(CPUGenerator, OnlyTheLow32BitsOfASeedCount) {
  CPUGenerator low(7), high(7 + (std::uint64_t{1} << 32));
  EXPECT_EQ(low.random(), high.random());
  EXPECT_NE(low.current_seed(), high.current_seed());
}

TEST(CPUGenerator, A64BitDrawTakesTheHighHalfFirst) {
  CPUGenerator generator(3);
  std::mt19937 reference(3);
  const std::uint64_t high = reference(), low = reference();
  EXPECT_EQ(generator.random64(), high << 32 | low);
}

std::vector<float> normals(std::int64_t n, CPUGenerator& generator) {
  std::vector<float> values(n);
  native::normal_fill(values.data(), n, generator);
  return values;
}

TEST(NormalFill, DrawsOnePerElementAndSixteenMoreForALeftover) {
  for (std::int64_t n : {16, 17, 31, 32, 100}) {
    CPUGenerator generator(5);
    normals(n, generator);
    std::mt19937 reference(5);
    reference.discard(n + (n % 16 ? 16 : 0));
    EXPECT_EQ(generator.random(), reference()) << n;
  }
}

TEST(NormalFill, SingleNormalsAreBoxMullerInDouble) {
  CPUGenerator generator(9);
  double values[2];
  native::normal_fill(values, 2, generator);
  std::mt19937 reference(9);
  const auto uniform = [&] {
    const std::uint64_t high = reference();
    return static_cast<double>((high << 32 | reference()) & ((std::uint64_t{1} << 53) - 1)) / 9007199254740992.0;
  };
  const double u1 = uniform(), u2 = uniform();
  EXPECT_DOUBLE_EQ(values[0] * values[0] + values[1] * values[1], -2.0 * std::log1p(-u2));
  EXPECT_NEAR(std::atan2(values[1], values[0]), std::remainder(2.0 * M_PI * u1, 2.0 * M_PI), 1e-12);
}

TEST(NormalFill, TheSecondOfAPairIsKeptAcrossCallsAndDroppedBySeeding) {
  CPUGenerator together(4), apart(4);
  double pair[2], first, second;
  native::normal_fill(pair, 2, together);
  native::normal_fill(&first, 1, apart);
  normals(32, apart);  // neither uses nor drops it
  native::normal_fill(&second, 1, apart);
  EXPECT_EQ(pair[0], first);
  EXPECT_EQ(pair[1], second);

  native::normal_fill(&first, 1, apart);
  apart.set_current_seed(4);
  native::normal_fill(&first, 1, apart);
  EXPECT_EQ(pair[0], first);
}

TEST(NormalFill, Float32BlocksAreCloseToTheExactTransform) {
  CPUGenerator generator(0);
  const std::vector<float> values = normals(1600, generator);
  std::mt19937 reference(0);
  for (int block = 0; block < 100; ++block) {
    double u[16];
    for (double& value : u) value = static_cast<double>(reference() & 0xffffffu) / 16777216.0;
    for (int j = 0; j < 8; ++j) {
      const double radius = std::sqrt(-2.0 * std::log(1.0 - u[j])), angle = 2.0 * M_PI * u[j + 8];
      EXPECT_NEAR(values[block * 16 + j], radius * std::cos(angle), 2e-6);
      EXPECT_NEAR(values[block * 16 + j + 8], radius * std::sin(angle), 2e-6);
    }
  }
}

TEST(NormalFill, NothingIsDrawnForNothing) {
  CPUGenerator generator(1);
  normals(0, generator);
  EXPECT_EQ(generator.random(), std::mt19937(1)());
}

}  // namespace
}  // namespace tensorlib
