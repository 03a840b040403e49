// The emulated fused multiply-add against the C library's fma (exact, by the CPU's instruction where there is one).
#define CPU_CAPABILITY EMULATED_FOR_TEST
#include <gtest/gtest.h>

#include "forms.hpp"
#include "powmath/exact_fma.h"

namespace callpath::test {
namespace {

#if defined(TENSORLIB_POW_FMA)
#error "this test is of the emulation: compile it without -mfma"
#endif

double by_emulation(double a, double b, double c) { return tensorlib::powmath::EMULATED_FOR_TEST::exact_fma(a, b, c); }
float by_emulation(float a, float b, float c) { return tensorlib::powmath::EMULATED_FOR_TEST::exact_fma(a, b, c); }

template <typename T>
class ExactFma : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(ExactFma, Types);

TYPED_TEST(ExactFma, IsTheCLibrarysForNumbersOfManySizes) {
  using T = TypeParam;
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> mantissa(1, 2);
  std::uniform_int_distribution<int> exponent(-30, 30), sign(0, 1);
  const auto number = [&] { return static_cast<T>(std::ldexp(mantissa(random), exponent(random)) * (sign(random) ? 1 : -1)); };
  for (int i = 0; i < 300000; ++i) {
    const T a = number(), b = number(), c = number();
    ASSERT_TRUE(same(by_emulation(a, b, c), std::fma(a, b, c))) << show(a) << " * " << show(b) << " + " << show(c);
  }
}

// Sums next to nothing beside the middle between two numbers: where a second rounding goes wrong.
TYPED_TEST(ExactFma, IsTheCLibrarysBesideHalfwayCases) {
  using T = TypeParam;
  constexpr int digits = std::numeric_limits<T>::digits;
  std::mt19937_64 random(6);
  std::uniform_int_distribution<int64_t> whole(int64_t(1) << (digits - 1), (int64_t(1) << digits) - 1);
  int rounded_twice = 0;
  for (int i = 0; i < 200000; ++i) {
    const T c = static_cast<T>(whole(random)), e = std::ldexp(T(1), 1 - digits + i % 4);
    const T sign = (i / 4) % 2 ? T(1) : T(-1);
    const T a = (1 + e) * sign, b = (1 - e) / 2;  // their product is sign * (1 - e^2) / 2
    const T expected = std::fma(a, b, c);
    ASSERT_TRUE(same(by_emulation(a, b, c), expected)) << show(a) << " * " << show(b) << " + " << show(c);
    const T product = a * b;
    rounded_twice += product + c != expected;
  }
  EXPECT_GT(rounded_twice, 10000) << "no case told a fused operation from two";
}

}  // namespace
}  // namespace callpath::test
