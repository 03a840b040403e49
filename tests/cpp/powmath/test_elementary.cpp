// exp, log, tanh and sigmoid: distance from libquadmath's functions, bits across capabilities, special values, strides.
//
// CALLPATH_POW_PAIRS gives the number of values per function and type (default 50,000); from 10,000,000 on every float is compared, with
// the slow emulation each 64th block of them.
#include <gtest/gtest.h>
#include <quadmath.h>

#include <algorithm>
#include <cstdlib>

#include "forms.hpp"
#include "powmath/elementary.h"

namespace callpath::test {
namespace {

template <typename T>
using Map = void (*)(const T*, std::ptrdiff_t, T*, std::ptrdiff_t, std::size_t);

template <typename T>
struct Capability {
  const char* name;
  Map<T> function[4];
};
#define CALLPATH_ELEMENTARY(name)                                                                                                     \
  {                                                                                                                                   \
#name, {                                                                                                                          \
      tensorlib::powmath::name::exp, tensorlib::powmath::name::log, tensorlib::powmath::name::tanh, tensorlib::powmath::name::sigmoid \
    }                                                                                                                                 \
  }
template <typename T>
std::vector<Capability<T>> able() {
  const Capability<T> all[] = {CALLPATH_ELEMENTARY(EMULATED), CALLPATH_ELEMENTARY(DEFAULT), CALLPATH_ELEMENTARY(DEFAULT_FMA),
                               CALLPATH_ELEMENTARY(AVX2), CALLPATH_ELEMENTARY(AVX512)};
  std::vector<Capability<T>> found;
  for (const auto& implementation : implementations<T>()) {
    for (const auto& each : all) {
      if (std::string(each.name) == implementation.name) found.push_back(each);
    }
  }
  return found;
}

const char* const kNames[4] = {"exp", "log", "tanh", "sigmoid"};

/// The C library's 64 bits are enough for float, and ten times quicker.
__float128 truth(int function, float value) {
  const long double x = value;
  switch (function) {
    case 0:
      return expl(x);
    case 1:
      return logl(x);
    case 2:
      return tanhl(x);
    default:
      return 1 / (1 + expl(-x));
  }
}

__float128 truth(int function, double value) {
  const __float128 x = value;
  switch (function) {
    case 0:
      return expq(x);
    case 1:
      return logq(x);
    case 2:
      return tanhq(x);
    default:
      return 1 / (1 + expq(-x));
  }
}

template <typename T>
double error_in_units(T result, __float128 exact) {
  int exponent = 0;
  frexpq(exact, &exponent);
  using limits = std::numeric_limits<T>;
  const int unit = std::max(exponent, limits::min_exponent) - limits::digits;
  return std::fabs(static_cast<double>(ldexpq(static_cast<__float128>(result) - exact, -unit)));
}

std::size_t values_wanted() {
  const char* text = std::getenv("CALLPATH_POW_PAIRS");
  return text ? std::strtoull(text, nullptr, 10) : 50000;
}

/// Ordinary sizes, every size, beside 1, small ones, and where exp leaves the range.
template <typename T>
std::vector<T> values_of(int function, std::size_t n) {
  std::mt19937_64 random(static_cast<uint64_t>(function) + 77);
  std::uniform_real_distribution<double> unit(0, 1);
  const double range = sizeof(T) == 4 ? 104 : 746;
  std::vector<T> values;
  for (std::size_t i = 0; i < n; ++i) {
    const double u = unit(random), sign = random() & 1 ? 1 : -1;
    double value = 0;
    switch (i % 5) {
      case 0:
        value = sign * 4 * u;
        break;
      case 1:
        value = sign * range * u;
        break;
      case 2:
        value = std::ldexp(1 + u, static_cast<int>(random() % 60) - 50) * sign;
        break;
      case 3:
        value = function == 1 ? 1 + sign * std::ldexp(u, -static_cast<int>(random() % 50)) : sign * u;
        break;
      default:
        value = sign * range * (0.93 + 0.08 * u);
        break;
    }
    if (function == 1) value = std::fabs(value);
    if (function == 1 && i % 5 == 1)
      value = std::ldexp(1 + u, static_cast<int>(random() % (sizeof(T) == 4 ? 276 : 2096)) - (sizeof(T) == 4 ? 149 : 1073));
    values.push_back(static_cast<T>(value));
  }
  return values;
}

template <typename T>
void check_accuracy(double limit_of_others, double limit_of_sigmoid) {
  for (int function = 0; function < 4; ++function) {
    const double limit = function == 3 ? limit_of_sigmoid : limit_of_others;
    const std::vector<T> values = values_of<T>(function, values_wanted());
    std::vector<T> results(values.size());
    able<T>().back().function[function](values.data(), sizeof(T), results.data(), sizeof(T), values.size());
    double worst = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const __float128 exact = truth(function, values[i]);
      if (finiteq(exact) == 0 || fabsq(exact) > std::numeric_limits<T>::max()) {
        EXPECT_TRUE(std::isinf(results[i])) << kNames[function] << "(" << show(values[i]) << ") gave " << show(results[i]);
        continue;
      }
      const double error = error_in_units(results[i], exact);
      worst = std::max(worst, error);
      ASSERT_LE(error, limit) << kNames[function] << "(" << show(values[i]) << ") gave " << show(results[i]);
    }
    std::printf("  %-8s worst %.4f ULP\n", kNames[function], worst);
    EXPECT_GT(worst, 0.4) << "nothing is that good: the measure is broken";
  }
}

TEST(ElementaryAccuracy, FloatsAreWithinSixTenthsOfAUnit) { check_accuracy<float>(0.6, 1.2); }
TEST(ElementaryAccuracy, DoublesAreWithinAUnit) { check_accuracy<double>(1.0, 1.0); }

template <typename T>
void check_special() {
  using limits = std::numeric_limits<T>;
  const T inf = limits::infinity(), nan = limits::quiet_NaN(), least = limits::denorm_min();
  const T in[] = {0, T(-0.0), 1, inf, -inf, nan, -1, least, -least, limits::max(), -limits::max()};
  const T half = T(0.5), e = static_cast<T>(M_Eq), tanh_1 = static_cast<T>(tanhq(1)), s = static_cast<T>(1 / (1 + expq(-1)));
  const T expected[4][11] = {
      {1, 1, e, inf, 0, nan, static_cast<T>(expq(-1)), 1, 1, inf, 0},
      {-inf, -inf, 0, inf, nan, nan, nan, static_cast<T>(logq(least)), nan, static_cast<T>(logq(limits::max())), nan},
      {0, T(-0.0), tanh_1, 1, -1, nan, -tanh_1, least, -least, 1, -1},
      {half, half, s, 1, 0, nan, static_cast<T>(1 / (1 + expq(1))), half, half, 1, 0},
  };
  for (const auto& capability : able<T>()) {
    for (int function = 0; function < 4; ++function) {
      T out[11];
      capability.function[function](in, sizeof(T), out, sizeof(T), 11);
      for (int i = 0; i < 11; ++i) {
        EXPECT_TRUE(same(out[i], expected[function][i])) << capability.name << " " << kNames[function] << "(" << show(in[i]) << ") gave "
                                                         << show(out[i]) << ", not " << show(expected[function][i]);
      }
    }
  }
}
TEST(ElementarySpecial, Floats) { check_special<float>(); }
TEST(ElementarySpecial, Doubles) { check_special<double>(); }

template <typename T>
void check_bits(const std::vector<T>& values, int function, bool emulation_too = true) {
  const auto capabilities = able<T>();
  std::vector<T> expected(values.size()), results(values.size());
  capabilities.back().function[function](values.data(), sizeof(T), expected.data(), sizeof(T), values.size());
  for (const auto& capability : capabilities) {
    if (!emulation_too && std::string(capability.name) == "EMULATED") continue;
    capability.function[function](values.data(), sizeof(T), results.data(), sizeof(T), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_TRUE(same(results[i], expected[i])) << capability.name << " " << kNames[function] << "(" << show(values[i]) << ") gave "
                                                 << show(results[i]) << ", not " << show(expected[i]);
    }
  }
}
TEST(ElementaryBits, AreEqualForEveryCapability) {
  for (int function = 0; function < 4; ++function) {
    check_bits(values_of<float>(function, 20003), function);
    check_bits(values_of<double>(function, 20003), function);
    check_bits(pairs_of_patterns<float>(20003, 5).base, function);
    check_bits(pairs_of_patterns<double>(20003, 5).base, function);
  }
}

TEST(ElementaryEveryFloat, HasEqualBitsForEveryCapability) {
  const uint32_t step = values_wanted() >= 10000000 ? 1 : 10007;
  std::vector<float> values;
  std::size_t blocks = 0;
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += step) {
    const auto narrow = static_cast<uint32_t>(bits);
    values.push_back(0);
    std::memcpy(&values.back(), &narrow, sizeof narrow);
    if (values.size() < 65536 && bits + step < (uint64_t(1) << 32)) continue;
    const bool emulation_too = step > 1 || blocks++ % 64 == 0;
    for (int function = 0; function < 4; ++function) check_bits(values, function, emulation_too);
    values.clear();
  }
}

TEST(ElementaryStrides, GiveTheSameBits) {
  const std::vector<double> values = values_of<double>(3, 1003);
  for (const auto& capability : able<double>()) {
    for (const auto function : capability.function) {
      std::vector<double> whole(501), backwards(501), spread(1503, -7.0), in_place(values.begin(), values.begin() + 501);
      function(values.data(), 16, whole.data(), 8, 501);
      function(values.data() + 1000, -16, backwards.data(), 8, 501);
      function(values.data(), 16, spread.data(), 24, 501);
      for (int i = 0; i < 501; ++i) {
        double one = 0;
        function(&values[2 * static_cast<std::size_t>(i)], 8, &one, 8, 1);
        ASSERT_TRUE(same(one, whole[i]) && same(backwards[500 - i], whole[i]) && same(spread[3 * i], whole[i]))
            << capability.name << " " << i;
        ASSERT_EQ(spread[3 * i + 1], -7.0);
      }
      std::vector<double> apart(501);
      function(values.data(), 8, apart.data(), 8, 501);
      function(in_place.data(), 8, in_place.data(), 8, 501);
      for (int i = 0; i < 501; ++i) ASSERT_TRUE(same(in_place[i], apart[i]));
    }
  }
}

}  // namespace
}  // namespace callpath::test
