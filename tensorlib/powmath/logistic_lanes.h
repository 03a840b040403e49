// tanh and sigmoid over e^x = 2^n * (1 + t), |t| < 0.42: t keeps its relative precision near 0, where e^x - 1 would lose it.
//
// For double, t and what is computed from it are carried in two numbers, and one quotient is corrected once: < 0.8 ULP. Floats are computed
// in double: < 0.501 ULP.
#pragma once

#include "powmath/exp_log_lanes.h"

namespace tensorlib::powmath {
namespace CPU_CAPABILITY {
namespace {

/// high + low.
template <typename D>
struct Two {
  D high, low;
};
/// a + b exactly, if |a| >= |b| or a is 0.
template <typename D>
Two<D> ordered_sum(D a, D b) {
  const D sum = a + b;
  return {sum, (a - sum) + b};
}

template <typename D>
struct ExpParts {
  D n;  // whole
  Two<D> t;
};

constexpr double kLogOf2Short = 0x1.62e42fefa38p-1, kLogOf2ShortRest = 0x1.ef35793c76730p-45;  // n * the first is exact

constexpr struct InverseFactorials {
  double of[17] = {1};
  constexpr InverseFactorials() {
    double factorial = 1;
    for (int i = 1; i <= 16; ++i) of[i] = 1 / (factorial *= i);
  }
} kInverseFactorials;

/// |x| < 1000; `terms` of the series of e^r, |r| < 0.35: 10 for floats, 16 for doubles.
template <int terms, typename D>
TENSORLIB_POW_INLINE ExpParts<D> exp_parts(D x) {
  constexpr double shift = 0x1.8p52;
  const D n = fma(x, D(kLog2OfE), D(shift)) - D(shift);
  const D first = x - n * D(kLogOf2Short);
  const D rest = n * D(kLogOf2ShortRest);
  const D r = first - rest, r_low = (first - r) - rest;
  D p(kInverseFactorials.of[terms]);
#pragma GCC unroll 16
  for (int i = terms - 1; i >= 2; --i) p = fma(p, r, D(kInverseFactorials.of[i]));
  const D above_first = fma(p, r * r, fma(r_low, r, r_low));
  return {n, ordered_sum(r, above_first)};
}

/// 2^n for whole n from -1000 to 1000.
template <typename D>
D power_of_two(D n) {
  return from_bits(shift_left<52>(bits_of(n + D(0x1.8p52 + 1023))));
}

/// a / b, 1 > a / b >= 0.
template <bool precise, typename D>
TENSORLIB_POW_INLINE D quotient(Two<D> a, Two<D> b) {
  if constexpr (!precise) return a.high / b.high;
  const D inverse = D(1) / b.high, q = a.high * inverse;
  const D left = (fma(D(0) - q, b.high, a.high) - q * b.low) + a.low;
  return fma(left, inverse, q);
}

/// (e^2|x| - 1) / (e^2|x| + 1), with the sign of x.
template <bool precise, typename D>
TENSORLIB_POW_INLINE D tanh_of_double(D x) {
  const D size = abs(x);
  const ExpParts<D> e = exp_parts < precise ? 16 : 10 > (D(2) * select(D(20) < size, D(20), size));
  const D scale = power_of_two(e.n), t = scale * e.t.high, t_low = scale * e.t.low;
  Two<D> less = ordered_sum(scale, D(-1)), more = ordered_sum(scale, D(1));  // from 2^53 on not exact in one number
  Two<D> above = ordered_sum(less.high, t), below = ordered_sum(more.high, t);
  if constexpr (precise) {
    above.low = above.low + (less.low + t_low);
    below.low = below.low + (more.low + t_low);
  }
  const D value = select(size < D(0x1p-28), size, quotient<precise>(above, below));
  return from_bits(bits_of(value) ^ (bits_of(x) & bits_of(constant<D>(-0.0))));
}

/// With E = e^-|x|: 1 / (1 + E), or E / (1 + E) for negative x.
template <bool precise, typename D>
TENSORLIB_POW_INLINE D sigmoid_of_double(D x) {
  const auto negative = x < D(0);
  const D size = abs(x);
  const ExpParts<D> e = exp_parts < precise ? 16 : 10 > (D(0) - select(D(750) < size, D(750), size));
  const D scale = power_of_two(select(e.n < D(-200), D(-200), e.n));
  Two<D> one_and_t = ordered_sum(D(1), e.t.high);
  if constexpr (precise) one_and_t.low = one_and_t.low + e.t.low;
  Two<D> below = ordered_sum(D(1), scale * one_and_t.high);
  if constexpr (precise) below.low = below.low + scale * one_and_t.low;
  const D q = quotient<precise>({select(negative, one_and_t.high, D(1)), select(negative, one_and_t.low, D(0))}, below);
  const auto tiny = e.n < D(-900);
  const D factor = power_of_two(select(tiny, e.n + D(200), e.n)), factor_rest = select(tiny, D(0x1p-200), D(1));
  return select(negative, q * factor * factor_rest, q);
}

/// Floats in memory, doubles in registers.
struct WideFloats {
  using scalar = float;
  static constexpr int size = DoubleLanes::size;
  DoubleLanes values;
  static WideFloats load(const float* from) { return {DoubleLanes::load(from)}; }
  static WideFloats load(const float* from, int count) {
    float lanes[size];
    for (int i = 0; i < size; ++i) lanes[i] = i < count ? from[i] : 1;
    return load(lanes);
  }
  void store(float* to) const { values.store(to); }
  void store(float* to, int count) const {
    float lanes[size];
    store(lanes);
    for (int i = 0; i < count; ++i) to[i] = lanes[i];
  }
};

}  // namespace
}  // namespace CPU_CAPABILITY
}  // namespace tensorlib::powmath
