// Pairs of positive bases with exponents, drawn so that each part of pow's arithmetic is met.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "forms.hpp"

namespace callpath::test {

/// A stratum: log2 of the base between `low` and `high`; the exponent so that log2 of the result lies within +-`reach`, or, if
/// `largest_exp` is given, evenly within +- that.
struct Stratum {
  const char* name;
  double low, high, reach, largest_exp;
};

template <typename T>
std::vector<Stratum> strata() {
  const bool f = sizeof(T) == 4;
  const double top = f ? 127.99 : 1023.99, tiny = f ? 150 : 1075, normal = f ? 126 : 1022;
  return {
      {"bases of every size, results of every size", -normal, top, tiny, 0},
      {"subnormal bases", f ? -149.0 : -1074.0, -normal, tiny, 0},
      {"bases of ordinary size, small exponents", -8, 8, 0, 8},
      {"bases of one octave, results of every size", -0.5, 0.5, normal, 0},
      {"bases near 1, results of every size", -0.0625, 0.0625, normal, 0},
      {"bases very near 1, huge exponents", -1e-4, 1e-4, normal, 0},
      {"exponents around the quick way's limit", -0.49, 0.49, 0, 520},
      {"bases near 1, exponents at the limit", -0.1, 0.1, 0, 260},
      {"results at the end of the normal range", -30, 30, f ? -126.0 : -1022.0, 0},
      {"results near 1", -20, 20, 1e-3, 0},
  };
}

/// `n` pairs; a negative reach means: within 1 of +-reach, and below -reach.
template <typename T>
Pairs<T> drawn(const Stratum& stratum, std::size_t n, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> log_base(stratum.low, stratum.high), unit(-1, 1);
  Pairs<T> pairs;
  while (pairs.size() < n) {
    const T base = static_cast<T>(std::exp2(static_cast<long double>(log_base(random))));
    if (!(base > 0) || std::isinf(base)) continue;
    double exp = unit(random) * stratum.largest_exp;
    if (stratum.largest_exp == 0) {
      const double log_result = stratum.reach < 0 ? stratum.reach + 2 * unit(random) : unit(random) * stratum.reach;
      exp = log_result / static_cast<double>(std::log2(static_cast<long double>(base)));
    }
    pairs.add(base, static_cast<T>(exp));
  }
  return pairs;
}

}  // namespace callpath::test
