// tanh and sigmoid over e^x = t * (1 + q), pow's: sums of it and one quotient are carried in two numbers, which leaves one rounding.
//
// The quotient is corrected once; what the parts lose is below 0.06 ULP for floats and 0.02 for doubles, but for sigmoid of floats: 1.2
// ULP. e^2|x| - 1 loses what e^2|x| and 1 have in common, so tanh of small numbers is a series.
#pragma once

#include "powmath/exp_log_lanes.h"

namespace tensorlib::powmath {
namespace CPU_CAPABILITY {
namespace {

/// high + low.
template <typename L>
struct Two {
  L high, low;
};
/// a + b exactly, if |a| >= |b|.
template <typename L>
Two<L> ordered_sum(L a, L b) {
  const L sum = a + b;
  return {sum, (a - sum) + b};
}

template <typename L>
struct ExpParts {
  Two<L> value;
  L k;  // its log2, nearly; nan for nan
};

/// e^(factor * x), factor a power of two, where it is normal.
template <typename L>
TENSORLIB_POW_INLINE ExpParts<L> exp_parts(double factor, L x) {
  if constexpr (is_float<L>) {
    const FloatExponent<L> e = float_exponent({constant<L>(factor * kFloatLog2OfE), constant<L>(factor * kFloatLog2OfERest)}, x);
    const L t = float_scale(e), high = fma(t, e.q, t);
    return {{high, fma(t, e.q, t - high)}, e.k};
  } else {
    const DoubleExponent<L> e = double_exponent({constant<L>(factor * kLog2OfE), constant<L>(factor * kLog2OfERest)}, x);
    const L t = double_scale(e), high = fma(t, e.q, t);
    return {{high, fma(t, e.q, t - high)}, e.k};
  }
}

/// a / b.
template <typename L>
TENSORLIB_POW_INLINE L quotient(Two<L> a, Two<L> b) {
  const L inverse = L(1) / b.high, q = a.high * inverse;
  const L left = fnma(q, b.low, fnma(q, b.high, a.high)) + a.low;
  return fma(left, inverse, q);
}

template <typename L>
L with_sign_of(L value, L sign) {
  return from_bits(bits_of(value) ^ (bits_of(sign) & bits_of(constant<L>(-0.0))));
}

/// x^2 to tanh(x) / x - 1 over x^2, to the bits that |x| < small_tanh<L> needs.
template <typename L>
TENSORLIB_POW_INLINE L tanh_series(L x2) {
  L p = constant<L>(is_float<L> ? -17.0 / 315 : -1382.0 / 155925);
  if constexpr (!is_float<L>) {
    p = fma(p, x2, constant<L>(62.0 / 2835));
    p = fma(p, x2, constant<L>(-17.0 / 315));
  }
  p = fma(p, x2, constant<L>(2.0 / 15));
  return fma(p, x2, constant<L>(-1.0 / 3));
}
template <typename L>
constexpr double small_tanh = is_float<L> ? 0.125 : 0.03125;
/// From here on the nearest number is 1.
template <typename L>
constexpr double full_tanh = is_float<L> ? 10 : 20;

/// (e^2|x| - 1) / (e^2|x| + 1), with the sign of x.
template <typename L>
TENSORLIB_POW_INLINE L tanh_of(L x) {
  const L size = abs(x), most = constant<L>(full_tanh<L>);
  const ExpParts<L> e = exp_parts(2, select(most < size, most, size));
  Two<L> above = ordered_sum(e.value.high, L(-1)), below = ordered_sum(e.value.high, L(1));
  above.low = above.low + e.value.low;
  below.low = below.low + e.value.low;
  const L x2 = size * size;
  const L near = fma(size * x2, tanh_series(x2), size);
  return with_sign_of(select(size < constant<L>(small_tanh<L>), near, quotient(above, below)), x);
}

/// e^-x for sigmoid, whose divisor takes most of the time: floats by a polynomial within 2^-27.8, without tables.
template <typename L>
TENSORLIB_POW_INLINE ExpParts<L> exp_of_negative(L x) {
  if constexpr (is_float<L>) {
    const L shifted = fma(x, constant<L>(-kLog2OfE), L(0x1.8p23f));
    const L n = shifted - L(0x1.8p23f);
    const L s = fma(n, L(0x1.7f7d1cp-20f), fma(n, L(0x1.62e4p-1f), x));  // e^-x = 2^n e^-s
    L p = fma(L(0x1.6a2256p-10f), s, L(-0x1.123b02p-7f));
    p = fma(p, s, L(0x1.5558f8p-5f));
    p = fma(p, s, L(-0x1.55549p-3f));
    p = fms(fma(p, s, L(0x1.fffffcp-2f)), s * s, s);
    const L high = L(1) + p, low = (L(1) - high) + p;
    const L scale = from_bits(shift_left<23>(bits_of(shifted)) + bits_of(L(1)));
    return {{scale * high, scale * low}, n};
  } else {
    return exp_parts(-1, x);
  }
}

/// Beyond 2^+-this the power is all that counts, or nothing.
template <typename L>
constexpr double far_sigmoid = is_float<L> ? 100 : 800;

/// The size of -log2(sigmoid(x)) or of -log2(sigmoid(-x)) is large; or x is nan.
template <typename L>
[[gnu::noinline]] L sigmoid_far(L x) {
  return select(L(0) < x, L(1), exp_of(x));
}

/// 1 / (1 + e^-x).
template <typename L>
TENSORLIB_POW_INLINE L sigmoid_of(L x) {
  const ExpParts<L> e = exp_of_negative(x);
  const L below = L(1) + e.value.high, inverse = L(1) / below;
  L left;  // 1 - inverse * (1 + e^-x)
  if constexpr (is_float<L>) {
    // Half an ULP of 1 - inverse is lost where inverse is below 1/2: the price of being no slower than a plain quotient elsewhere.
    left = fnma(inverse, e.value.low, fnma(inverse, e.value.high, L(1) - inverse));
  } else {
    const L one = below - e.value.high;
    const L low = ((e.value.high - (below - one)) + (L(1) - one)) + e.value.low;
    left = fnma(inverse, low, fnma(inverse, below, L(1)));
  }
  const L value = fma(left, inverse, inverse);
  const auto far = not_below(abs(e.k), constant<L>(far_sigmoid<L>));
  if (__builtin_expect(any(far), 0)) return select(far, sigmoid_far(x), value);
  return value;
}

}  // namespace
}  // namespace CPU_CAPABILITY
}  // namespace tensorlib::powmath
