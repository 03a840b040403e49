// Special values: C's Annex F, written here as rules of its own, and checked against the C library besides.
#include <gtest/gtest.h>

#include "forms.hpp"

namespace callpath::test {
namespace {

enum class Kind { kNotInteger, kEven, kOdd };

template <typename T>
Kind kind_of(T exp) {
  const T remainder = std::fmod(std::fabs(exp), T(2));
  if (remainder == 1) return Kind::kOdd;
  return remainder == 0 || std::isinf(exp) ? Kind::kEven : Kind::kNotInteger;
}

/// The rule of engine's documentation, in its order; false where the result is an ordinary number's business.
template <typename T>
bool special(T base, T exp, T& result) {
  const T infinity = std::numeric_limits<T>::infinity();
  if (exp == 0 || base == 1) return result = 1, true;
  if (base == -1 && std::isinf(exp)) return result = 1, true;
  if (std::isnan(base) || std::isnan(exp)) return result = std::numeric_limits<T>::quiet_NaN(), true;
  const Kind kind = kind_of(exp);
  if (base == 0) {
    result = exp < 0 ? infinity : T(0);
    if (kind == Kind::kOdd) result = std::copysign(result, base);
    return true;
  }
  if (std::isinf(exp)) return result = ((std::fabs(base) < 1) == (exp < 0)) ? infinity : T(0), true;
  if (std::isinf(base)) {
    result = exp < 0 ? T(0) : infinity;
    if (base < 0 && kind == Kind::kOdd) result = -result;
    return true;
  }
  if (base < 0 && kind == Kind::kNotInteger) return result = std::numeric_limits<T>::quiet_NaN(), true;
  return false;
}

template <typename T>
class PowSpecial : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(PowSpecial, Types);

template <typename T>
std::vector<T> by_form(const Implementation<T>& pow, const Pairs<T>& pairs, int form) {
  std::vector<T> results(pairs.size());
  const std::ptrdiff_t step = sizeof(T);
  if (form == 0) {
    for (std::size_t i = 0; i < pairs.size(); ++i) results[i] = pow.one(pairs.base[i], pairs.exp[i]);
  } else if (form == 1) {
    pow.tensor(pairs.base.data(), step, pairs.exp.data(), step, results.data(), step, pairs.size());
  } else if (form == 2) {
    for (std::size_t i = 0; i < pairs.size(); ++i) pow.scalar_exponent(&pairs.base[i], step, pairs.exp[i], &results[i], step, 1);
  } else {
    for (std::size_t i = 0; i < pairs.size(); ++i) pow.scalar_base(pairs.base[i], &pairs.exp[i], step, &results[i], step, 1);
  }
  return results;
}

TYPED_TEST(PowSpecial, ValuesAreThoseOfAnnexFInEveryForm) {
  using T = TypeParam;
  const Pairs<T> pairs = edge_pairs<T>();
  std::size_t met = 0;
  for (const auto& pow : implementations<T>()) {
    for (int form = 0; form < 4; ++form) {
      const auto results = by_form(pow, pairs, form);
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        T expected;
        if (!special(pairs.base[i], pairs.exp[i], expected)) continue;
        ++met;
        EXPECT_TRUE(same(results[i], expected)) << pow.name << " form " << form << ": " << show(pairs.base[i]) << " ** "
                                                << show(pairs.exp[i]) << " gave " << show(results[i]) << ", not " << show(expected);
      }
    }
  }
  EXPECT_GT(met, 10000u);
}

TYPED_TEST(PowSpecial, TheRulesHereAreTheCLibrarys) {
  using T = TypeParam;
  const Pairs<T> pairs = edge_pairs<T>();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    T expected;
    if (!special(pairs.base[i], pairs.exp[i], expected)) continue;
    const T theirs = std::pow(pairs.base[i], pairs.exp[i]);
    EXPECT_TRUE(same(theirs, expected)) << show(pairs.base[i]) << " ** " << show(pairs.exp[i]) << " is " << show(theirs);
  }
}

// Negative bases, over- and underflow, subnormal numbers: within a unit of the C library's, which is within one of the truth.
TYPED_TEST(PowSpecial, OrdinaryResultsOfEdgeValuesAreCloseToTheCLibrarys) {
  using T = TypeParam;
  const Pairs<T> pairs = edge_pairs<T>();
  for (const auto& pow : implementations<T>()) {
    const auto results = by_form(pow, pairs, 1);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const T theirs = std::pow(pairs.base[i], pairs.exp[i]);
      const T one_up = std::nextafter(theirs, std::numeric_limits<T>::infinity());
      const T one_down = std::nextafter(theirs, -std::numeric_limits<T>::infinity());
      const bool close = same(results[i], theirs) || results[i] == one_up || results[i] == one_down;
      EXPECT_TRUE(close && (std::isnan(theirs) || std::signbit(results[i]) == std::signbit(theirs)))
          << pow.name << ": " << show(pairs.base[i]) << " ** " << show(pairs.exp[i]) << " gave " << show(results[i]) << ", the C library "
          << show(theirs);
    }
  }
}

// Seen in PyTorch or required where PyTorch depends on the position.
TEST(PowKnown, Values) {
  for (const auto& pow : implementations<float>()) {
    SCOPED_TRACE(pow.name);
    EXPECT_EQ(pow.one(4.962565898895264f, 2.3f), 39.82212448120117f);
    EXPECT_EQ(pow.one(1e20f, -2.0f), 9.99994610111476e-41f);
    EXPECT_EQ(pow.one(2e19f, -2.0f), 2.500000538e-39f);
    EXPECT_EQ(pow.one(6e-20f, -2.0f), 0x1.a1f41ep+127f);  // 2.7777780e38, the nearest float; 1 / (x * x) gives 2.77777761e38
    EXPECT_EQ(pow.one(-1.0f, 16777216.0f), 1.0f);
    EXPECT_EQ(pow.one(-1.0f, 16777215.0f), -1.0f);
    EXPECT_EQ(pow.one(2.0f, -149.0f), 1.401298e-45f);
    EXPECT_EQ(pow.one(2.0f, -150.0f), 0.0f);
    EXPECT_EQ(pow.one(2.0f, 127.0f), 1.7014118e38f);
    EXPECT_EQ(pow.one(2.0f, 128.0f), std::numeric_limits<float>::infinity());
  }
  for (const auto& pow : implementations<double>()) {
    SCOPED_TRACE(pow.name);
    EXPECT_EQ(pow.one(1e160, -2.0), 1e-320);
    EXPECT_EQ(pow.one(1e-160, -2.0), std::numeric_limits<double>::infinity());
    EXPECT_EQ(pow.one(-1.0, 9007199254740993.0), 1.0);
    EXPECT_EQ(pow.one(-1.0, 9007199254740991.0), -1.0);
    EXPECT_EQ(pow.one(2.0, 10.0), 1024.0);
    EXPECT_EQ(pow.one(2.0, -1074.0), 0x1p-1074);
  }
}

TEST(PowKnown, PowersOfTwoAreExact) {
  for (const auto& pow : implementations<float>()) {
    for (int n = -149; n <= 127; ++n) EXPECT_EQ(pow.one(2.0f, static_cast<float>(n)), std::ldexp(1.0f, n)) << pow.name << " " << n;
  }
  for (const auto& pow : implementations<double>()) {
    for (int n = -1074; n <= 1023; ++n) EXPECT_EQ(pow.one(2.0, n), std::ldexp(1.0, n)) << pow.name << " " << n;
  }
}

}  // namespace
}  // namespace callpath::test
