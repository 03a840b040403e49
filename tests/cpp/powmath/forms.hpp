// Every implementation of pow that this CPU can run, behind function pointers, and helpers of its tests.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "powmath/pow.h"

namespace callpath::test {

template <typename T>
struct Implementation {
  const char* name;
  bool runs;
  T (*one)(T, T);
  void (*scalar_exponent)(const T*, std::ptrdiff_t, T, T*, std::ptrdiff_t, std::size_t);
  void (*scalar_base)(T, const T*, std::ptrdiff_t, T*, std::ptrdiff_t, std::size_t);
  void (*tensor)(const T*, std::ptrdiff_t, const T*, std::ptrdiff_t, T*, std::ptrdiff_t, std::size_t);
};

#define CALLPATH_POW_IMPLEMENTATION(name, runs)                                                                     \
  {                                                                                                                 \
#name, static_cast < bool>(runs), tensorlib::powmath::name::pow, tensorlib::powmath::name::pow_scalar_exponent, \
        tensorlib::powmath::name::pow_scalar_base, tensorlib::powmath::name::pow_tensor                             \
  }

template <typename T>
std::vector<Implementation<T>> implementations() {
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq");
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const Implementation<T> all[] = {
      CALLPATH_POW_IMPLEMENTATION(EMULATED, true),
      CALLPATH_POW_IMPLEMENTATION(DEFAULT, true),
      CALLPATH_POW_IMPLEMENTATION(DEFAULT_FMA, __builtin_cpu_supports("fma")),
      CALLPATH_POW_IMPLEMENTATION(AVX2, avx2),
      CALLPATH_POW_IMPLEMENTATION(AVX512, avx512),
  };
  std::vector<Implementation<T>> able;
  for (const auto& each : all) {
    if (each.runs) able.push_back(each);
  }
  return able;
}
#undef CALLPATH_POW_IMPLEMENTATION

template <typename T>
std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t> pattern(T value) {
  std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t> bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// Equal bits; of a nan only that it is one.
template <typename T>
bool same(T a, T b) {
  return (a != a && b != b) || pattern(a) == pattern(b);
}

template <typename T>
std::string show(T value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.17g (%a)", static_cast<double>(value), static_cast<double>(value));
  return text;
}

template <typename T>
struct Pairs {
  std::vector<T> base, exp;
  void add(T b, T e) {
    base.push_back(b);
    exp.push_back(e);
  }
  std::size_t size() const { return base.size(); }
};

/// Values on and beside every edge of C's Annex F and of the implementation.
template <typename T>
std::vector<T> edge_values() {
  using limits = std::numeric_limits<T>;
  std::vector<T> values = {0,
                           limits::denorm_min(),
                           limits::min(),
                           limits::max(),
                           limits::infinity(),
                           T(0.25),
                           T(0.5),
                           T(1),
                           T(1.5),
                           2,
                           3,
                           T(2.5),
                           4,
                           5,
                           T(100),
                           T(101),
                           T(255),
                           T(256),
                           T(257),
                           T(1000)};
  const T one_above = 1 + limits::epsilon(), one_below = 1 - limits::epsilon() / 2;
  const T integers_only = std::ldexp(T(1), limits::digits - 1);  // from here on every number is an integer
  const T even_only = integers_only * 2;
  for (T value : {one_above,
                  one_below,
                  integers_only,
                  integers_only - 1,
                  integers_only - T(0.5),
                  integers_only + 1,
                  even_only,
                  even_only - 1,
                  even_only + 2,
                  limits::min() / 2,
                  limits::min() / 3,
                  T(126),
                  T(127),
                  T(128),
                  T(149),
                  T(150),
                  T(1022),
                  T(1023),
                  T(1074),
                  T(1075)}) {
    values.push_back(value);
  }
  const std::size_t positive = values.size();
  for (std::size_t i = 0; i < positive; ++i) values.push_back(-values[i]);
  values.push_back(limits::quiet_NaN());
  return values;
}

template <typename T>
Pairs<T> edge_pairs() {
  Pairs<T> pairs;
  for (T base : edge_values<T>()) {
    for (T exp : edge_values<T>()) pairs.add(base, exp);
  }
  return pairs;
}

/// Any patterns at all.
template <typename T>
Pairs<T> pairs_of_patterns(std::size_t n, uint64_t seed) {
  std::mt19937_64 random(seed);
  Pairs<T> pairs;
  const auto any = [&random] {
    const auto bits = static_cast<std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>(random());
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  };
  for (std::size_t i = 0; i < n; ++i) pairs.add(any(), any());
  return pairs;
}

}  // namespace callpath::test
