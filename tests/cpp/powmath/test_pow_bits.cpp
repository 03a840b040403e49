// A result's bits depend on base, exponent and type alone.
#include <gtest/gtest.h>

#include <cstdlib>

#include "strata.hpp"

namespace callpath::test {
namespace {

template <typename T>
class PowBits : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(PowBits, Types);

/// A little of everything: each stratum, edges, any patterns, negative bases with whole exponents.
template <typename T>
Pairs<T> mixed(std::size_t per_stratum) {
  Pairs<T> all = edge_pairs<T>();
  const auto take = [&all](const Pairs<T>& more) {
    for (std::size_t i = 0; i < more.size(); ++i) all.add(more.base[i], more.exp[i]);
  };
  uint64_t seed = 77;
  for (const Stratum& stratum : strata<T>()) {
    Pairs<T> pairs = drawn<T>(stratum, per_stratum, ++seed);
    take(pairs);
    for (std::size_t i = 0; i < pairs.size() / 2; ++i) all.add(-pairs.base[i], std::nearbyint(pairs.exp[i]));
  }
  take(pairs_of_patterns<T>(per_stratum, ++seed));
  return all;
}

template <typename T>
void expect_same(const Pairs<T>& pairs, const std::vector<T>& results, const std::vector<T>& expected, const std::string& what) {
  std::size_t different = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (same(results[i], expected[i]) || ++different > 5) continue;
    ADD_FAILURE() << what << ": " << show(pairs.base[i]) << " ** " << show(pairs.exp[i]) << " gave " << show(results[i]) << ", not "
                  << show(expected[i]);
  }
  EXPECT_EQ(different, 0u) << what;
}

template <typename T>
std::vector<T> pairwise(const Implementation<T>& pow, const Pairs<T>& pairs) {
  std::vector<T> results(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) results[i] = pow.one(pairs.base[i], pairs.exp[i]);
  return results;
}

TYPED_TEST(PowBits, AreEqualForEveryCapabilityAndForThePairAndTheArray) {
  using T = TypeParam;
  const Pairs<T> pairs = mixed<T>(20000);
  const auto all = implementations<T>();
  ASSERT_GE(all.size(), 2u);
  const auto expected = pairwise(all[0], pairs);
  for (const auto& pow : all) {
    expect_same(pairs, pairwise(pow, pairs), expected, std::string(pow.name) + ", one pair");
    std::vector<T> results(pairs.size());
    pow.tensor(pairs.base.data(), sizeof(T), pairs.exp.data(), sizeof(T), results.data(), sizeof(T), pairs.size());
    expect_same(pairs, results, expected, std::string(pow.name) + ", arrays");
  }
}

TYPED_TEST(PowBits, AreEqualForAScalarExponentAndAScalarBase) {
  using T = TypeParam;
  const Pairs<T> pairs = mixed<T>(200);
  const auto scalars = edge_values<T>();
  for (const auto& pow : implementations<T>()) {
    for (T scalar : scalars) {
      Pairs<T> fixed_exp{pairs.base, std::vector<T>(pairs.size(), scalar)}, fixed_base{std::vector<T>(pairs.size(), scalar), pairs.exp};
      std::vector<T> results(pairs.size());
      pow.scalar_exponent(pairs.base.data(), sizeof(T), scalar, results.data(), sizeof(T), pairs.size());
      expect_same(fixed_exp, results, pairwise(pow, fixed_exp), std::string(pow.name) + ", scalar exponent");
      pow.scalar_base(scalar, pairs.exp.data(), sizeof(T), results.data(), sizeof(T), pairs.size());
      expect_same(fixed_base, results, pairwise(pow, fixed_base), std::string(pow.name) + ", scalar base");
    }
  }
}

TYPED_TEST(PowBits, AreEqualForEveryLengthAndPositionAndNothingElseIsWritten) {
  using T = TypeParam;
  const Pairs<T> pool = mixed<T>(8);
  const T guard = T(-12345.5);
  for (const auto& pow : implementations<T>()) {
    const auto expected = pairwise(pow, pool);
    for (std::size_t length = 0; length <= 40; ++length) {
      for (std::size_t start = 0; start + length <= pool.size() && start < 400; start += 1 + start / 40) {
        std::vector<T> results(length + 40, guard);
        pow.tensor(pool.base.data() + start, sizeof(T), pool.exp.data() + start, sizeof(T), results.data() + 20, sizeof(T), length);
        for (std::size_t i = 0; i < results.size(); ++i) {
          const bool inside = i >= 20 && i < 20 + length;
          ASSERT_TRUE(same(results[i], inside ? expected[start + i - 20] : guard))
              << pow.name << " length " << length << " from " << start << " at " << i;
        }
      }
    }
  }
}

TYPED_TEST(PowBits, AreEqualForEveryStride) {
  using T = TypeParam;
  const Pairs<T> pool = mixed<T>(100);
  const std::size_t n = 600;
  const T guard = T(-12345.5);
  for (const auto& pow : implementations<T>()) {
    for (std::ptrdiff_t in : {-2, -1, 0, 1, 2, 3}) {
      for (std::ptrdiff_t other : {1, 0, 2, -3}) {
        for (std::ptrdiff_t out : {1, 2, -1, 5}) {
          const T* base = pool.base.data() + 2000;
          const T* exp = pool.exp.data() + 2000;
          std::vector<T> results(n * 12 + 1, guard);
          T* to = results.data() + n * 6;
          const std::ptrdiff_t step = sizeof(T);
          pow.tensor(base, in * step, exp, other * step, to, out * step, n);
          std::size_t written = 0;
          for (std::size_t i = 0; i < n; ++i) {
            const auto k = static_cast<std::ptrdiff_t>(i);
            ASSERT_TRUE(same(to[k * out], pow.one(base[k * in], exp[k * other])))
                << pow.name << " " << in << " " << other << " " << out << " " << i;
          }
          for (T value : results) written += value != guard || value != value;
          ASSERT_LE(written, n);
        }
      }
    }
  }
}

TYPED_TEST(PowBits, AreEqualInPlaceAndForAddressesOfAnyAlignment) {
  using T = TypeParam;
  const Pairs<T> pool = mixed<T>(20);
  for (const auto& pow : implementations<T>()) {
    const auto expected = pairwise(pow, pool);
    std::vector<T> in_place = pool.base;
    pow.tensor(in_place.data(), sizeof(T), pool.exp.data(), sizeof(T), in_place.data(), sizeof(T), in_place.size());
    expect_same(pool, in_place, expected, std::string(pow.name) + ", in place of the base");
    in_place = pool.exp;
    pow.tensor(pool.base.data(), sizeof(T), in_place.data(), sizeof(T), in_place.data(), sizeof(T), in_place.size());
    expect_same(pool, in_place, expected, std::string(pow.name) + ", in place of the exponent");
  }
}

/// Every float there is as base, in blocks; of all blocks only each `every`th, of those for the slow emulation, which is all[0], each 64th.
void compare_all_floats(float exp, uint32_t every) {
  constexpr uint32_t block = 1u << 14;
  const auto all = implementations<float>();
  std::vector<float> base(block), expected(block), results(block);
  std::size_t different = 0;
  for (uint64_t first = 0; first < (uint64_t(1) << 32); first += static_cast<uint64_t>(block) * every) {
    for (uint32_t i = 0; i < block; ++i) {
      const auto bits = static_cast<uint32_t>(first + i);
      std::memcpy(&base[i], &bits, sizeof bits);
    }
    all.back().scalar_exponent(base.data(), 4, exp, expected.data(), 4, block);
    const bool emulation_too = every > 1 || first / block % 64 == 0;
    for (std::size_t k = emulation_too ? 0 : 1; k + 1 < all.size(); ++k) {
      all[k].scalar_exponent(base.data(), 4, exp, results.data(), 4, block);
      for (uint32_t i = 0; i < block; ++i) different += !same(results[i], expected[i]);
    }
  }
  EXPECT_EQ(different, 0u) << "exponent " << exp;
}

TEST(PowEveryFloat, HasEqualBitsForEveryCapability) {
  const char* pairs = std::getenv("CALLPATH_POW_PAIRS");
  const bool all = pairs && std::strtoull(pairs, nullptr, 10) >= 10000000;
  for (float exp : {2.3f, -7.0f}) compare_all_floats(exp, all ? 1 : 257);
}

}  // namespace
}  // namespace callpath::test
