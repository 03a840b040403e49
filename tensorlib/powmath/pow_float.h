// The arithmetic of pow for float, in float.
//
// log2(base) = e + log2(log2_e / scale) + log2(1 + u / log2_e), u = m * scale - log2_e, |u| < 2^-5.5. `high` is a multiple of 2^-15, so
// that exp * log2(base) - k comes from two fused operations. Error of the logarithm: u is rounded in the second-order term (2^-36), the
// last two fused operations of the series end below 2^-12.5 (2^-37 together), the polynomial is within 2^-40.5: < 2^-35.3, absolute. |exp|
// <= 256 makes that 2^-27.3 of the result's log2 at worst, 0.07 ULP; |exp| <= 16, what most use, less than 0.01. 2^(k/32 + r): tables in
// registers, degree 3, within 2^-33; the last addition of terms below 2^-6 costs 0.01 ULP. Sum: < 0.59 ULP (0.584 is the worst of every
// base in an octave with exponents near 250; 0.52 of ten million pairs with exponents up to 16). What does not fit (other bases, larger
// exponents, results that are not normal) goes through pow_double.h.
#pragma once

#include "powmath/pow_double.h"

namespace tensorlib::powmath {
namespace CPU_CAPABILITY {
namespace {

constexpr float kFloatExponentEnd = 0x1.000002p8f;  // the quick way takes |exp| below: up to 256

/// For positive normal finite numbers; anything else gives something harmless.
template <typename F>
TENSORLIB_POW_INLINE Logarithm<F> float_log2(F base) {
  using namespace float_tables;
  using Bits = typename F::Bits;
  const Bits bits = bits_of(base);
  const Bits above = bits - Bits(kLogOffset);
  const Bits exponent = above & Bits(static_cast<int32_t>(0xff800000));
  const Bits index = shift_right<18>(above);
  const F m = from_bits(bits - exponent);
  const F scale = lookup(kLogScale, index);
  const F u = short_fms(m, scale, F(kLog2E));
  const F whole = short_fma(exponent_units(exponent), F(F::exponent_unit), lookup(kLogHigh, index));
  const F shifted = whole + u;  // rounds u to a multiple of 2^-15
  const F u_rest = short_fms(m, scale, F(kLog2E) + (shifted - whole));
  F p = fma(F(kLog5), u, F(kLog4));
  p = fma(p, u, F(kLog3));
  p = fma(p, u, F(kLog2));
  p = fma(p, u, F(kLog1));
  return {shifted - F(kLogShift), fma(p, u, lookup(kLogLow, index) + u_rest)};
}

/// 2^(exp * log) in parts: k in steps of 1/32, and what follows.
template <typename F>
struct FloatExponent {
  F shifted, k, q;
};
/// |exp| < kFloatExponentEnd.
template <typename F>
TENSORLIB_POW_INLINE FloatExponent<F> float_exponent(Logarithm<F> log, F exp) {
  using namespace float_tables;
  constexpr float shift = 0x1.8p18f;
  const F shifted = fma(exp, log.high + log.low, F(shift));
  const F k = shifted - F(shift);
  const F r = fma(exp, log.low, short_fms(exp, log.high, k));
  F q = fma(F(kExp3), r, F(kExp2));
  q = fma(q, r, F(kExp1));
  return {shifted, k, fma(q, r, lookup(kExpRest, bits_of(shifted)))};
}
/// 2^k.
template <typename F>
TENSORLIB_POW_INLINE F float_scale(FloatExponent<F> e) {
  const auto bits = bits_of(e.shifted);
  return from_bits(lookup(float_tables::kExpBits, bits) + shift_left<18>(bits));
}
template <typename F>
TENSORLIB_POW_INLINE Power<F> float_exp2(Logarithm<F> log, F exp) {
  const FloatExponent<F> e = float_exponent(log, exp);
  const F t = float_scale(e);
  return {fma(t, e.q, t), e.k, not_below(abs(e.k), F(125))};
}

}  // namespace
}  // namespace CPU_CAPABILITY
}  // namespace tensorlib::powmath
