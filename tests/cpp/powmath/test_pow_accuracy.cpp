// How far pow is from the truth: libquadmath's powq (113 bits) for double, the C library's powl (64 bits) for float.
//
// CALLPATH_POW_PAIRS gives the number of pairs per type (default 200,000; the long run: 10,000,000).
#include <gtest/gtest.h>
#include <quadmath.h>

#include <algorithm>
#include <cstdlib>

#include "strata.hpp"

namespace callpath::test {
namespace {

long double truth(float base, float exp) { return ::powl(base, exp); }
__float128 truth(double base, double exp) { return ::powq(base, exp); }

/// The distance between neighbours at `value`, as exponents: 2^result; subnormal numbers are evenly spaced.
template <typename T>
int unit_exponent(__float128 value) {
  int exponent = 0;
  frexpq(value, &exponent);
  using limits = std::numeric_limits<T>;
  return std::max(exponent, limits::min_exponent) - limits::digits;
}

template <typename T>
double error_in_units(T result, __float128 exact) {
  return std::fabs(static_cast<double>(ldexpq(static_cast<__float128>(result) - exact, -unit_exponent<T>(exact))));
}

std::size_t pairs_wanted() {
  const char* text = std::getenv("CALLPATH_POW_PAIRS");
  return text ? std::strtoull(text, nullptr, 10) : 200000;
}

struct Worst {
  double normal = 0, subnormal = 0;
  std::string at;
};

template <typename T>
void check(T base, T exp, T result, Worst& worst) {
  const __float128 exact = truth(base, exp);
  const __float128 largest = std::numeric_limits<T>::max();
  if (exact > largest + ldexpq(1, unit_exponent<T>(largest) - 1)) {
    EXPECT_EQ(result, std::numeric_limits<T>::infinity()) << show(base) << " ** " << show(exp);
    return;
  }
  if (exact > largest) return;  // between the largest number and half a unit above: either is within one
  const double error = error_in_units(result, exact);
  const bool normal = exact >= std::numeric_limits<T>::min();
  double& most = normal ? worst.normal : worst.subnormal;
  if (error <= most) return;
  most = error;
  ASSERT_LE(error, normal ? 0.6 : 1.0) << show(base) << " ** " << show(exp) << " gave " << show(result);
  if (normal) worst.at = show(base) + " ** " + show(exp);
}

template <typename T>
void check_strata() {
  const auto fastest = implementations<T>().back();
  const auto all = strata<T>();
  double worst_of_all = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Pairs<T> pairs = drawn<T>(all[i], pairs_wanted() / all.size(), 1000 + i);
    std::vector<T> results(pairs.size());
    fastest.tensor(pairs.base.data(), sizeof(T), pairs.exp.data(), sizeof(T), results.data(), sizeof(T), pairs.size());
    Worst worst;
    for (std::size_t k = 0; k < pairs.size(); ++k) check(pairs.base[k], pairs.exp[k], results[k], worst);
    std::printf("  %-46s worst %.4f ULP normal, %.4f subnormal; %s\n", all[i].name, worst.normal, worst.subnormal, worst.at.c_str());
    worst_of_all = std::max(worst_of_all, worst.normal);
  }
  EXPECT_GT(worst_of_all, 0.4) << "no pow is that good: the measure is broken";
}

TEST(PowAccuracy, FloatsAreWithinSixTenthsOfAUnit) { check_strata<float>(); }
TEST(PowAccuracy, DoublesAreWithinSixTenthsOfAUnit) { check_strata<double>(); }

// The logarithm's worst bases are those at the ends of its intervals: every float of an octave, with exponents that make most of an error.
TEST(PowAccuracy, FloatsAreSoForEveryBaseOfAnOctave) {
  const auto fastest = implementations<float>().back();
  std::vector<float> bases;
  for (uint32_t bits = pattern(0.7072f); bits < pattern(1.4143f); bits += pairs_wanted() >= 10000000 ? 1 : 97) {
    float base;
    std::memcpy(&base, &bits, sizeof base);
    bases.push_back(base);
  }
  std::vector<float> results(bases.size());
  Worst worst;
  for (float exp : {250.1f, -250.0f, 101.3f, 2.3f, 0.37f}) {
    fastest.scalar_exponent(bases.data(), 4, exp, results.data(), 4, bases.size());
    for (std::size_t i = 0; i < bases.size(); ++i) {
      const double exact = std::pow(static_cast<double>(bases[i]), static_cast<double>(exp));  // 2^-29 of a float's unit
      const double error = error_in_units(results[i], static_cast<__float128>(exact));
      if (error > worst.normal) {
        worst.normal = error;
        worst.at = show(bases[i]) + " ** " + show(exp);
      }
    }
  }
  std::printf("  worst %.4f ULP; %s\n", worst.normal, worst.at.c_str());
  EXPECT_LE(worst.normal, 0.6) << worst.at;
  EXPECT_GT(worst.normal, 0.4);
}

}  // namespace
}  // namespace callpath::test
