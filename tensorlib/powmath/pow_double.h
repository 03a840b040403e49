// The arithmetic of pow for double.
//
// log2(base) = e + log2(1 / inverse) + log2(1 + r), r = m * inverse - 1: `inverse` has so few bits that r is exact. The sum of the
// first parts and r's first-order and second-order terms are carried in two doubles; the rest of the series in one. Relative error of the
// logarithm, near 1 too: < 2^-67.5, so that of exp * log2(base) <= 1024 is < 2^-57.5: 0.03 ULP of the result.
// 2^(k/128 + r): table and a polynomial of degree 5, within 2^-64; the last addition of terms below 2^-8 costs 0.003 ULP. Sum: < 0.54 ULP
// (0.516 is the worst that ten million pairs gave). A subnormal result is rounded once more: < 0.78 of its units.
#pragma once

#include "powmath/lanes.h"
#include "powmath/tables.h"

namespace tensorlib::powmath {
namespace CPU_CAPABILITY {
namespace {

/// log2 of a base, high + low.
template <typename L>
struct Logarithm {
  L high, low;
};

/// For positive normal finite numbers; anything else gives something harmless.
template <typename D>
TENSORLIB_POW_INLINE Logarithm<D> double_log2(D base) {
  using namespace double_tables;
  using Bits = typename D::Bits;
  const Bits bits = bits_of(base);
  const Bits above = bits - Bits(kLogOffset);
  const Bits exponent = above & Bits(static_cast<int64_t>(0xfff0000000000000));
  const Bits index = shift_right<45>(above);
  const D m = from_bits(bits - exponent);
  const D r = short_fms(m, lookup(kLogInverse, index), D(1));

  const D slope = fma(D(kLogSecond), r, D(kLog2E));
  const D slope_rest = fma(D(kLogSecond), r, D(kLog2E) - slope);
  const D r2 = r * r;
  const D p67 = fma(D(kLog8), r, D(kLog7));
  const D p45 = fma(D(kLog6), r, D(kLog5));
  const D p23 = fma(D(kLog4), r, D(kLog3));
  const D p01 = fma(D(kLog2), r, D(kLog1));
  const D rest = fma(fma(fma(p67, r2, p45), r2, p23), r2, p01);

  const D first = r * slope;
  const D first_rest = fma(r, slope_rest + rest, short_fms(r, slope, first));
  const D whole = short_fma(exponent_units(exponent), D(D::exponent_unit), lookup(kLogHigh, index));
  const D high = whole + first;
  const D lost = (whole - high) + first;
  return {high, lost + (lookup(kLogLow, index) + first_rest)};
}

/// 2^(exp * log) as far as the quick way goes.
template <typename L>
struct Power {
  L value;
  L k;                     // the result's log2, nearly; nan where that is unknown
  typename L::Mask unfit;  // lanes whose value is not the result
};

/// 2^(exp * log) in parts: k in steps of 1/128, and what follows.
template <typename D>
struct DoubleExponent {
  D shifted, k, q;
};
template <typename D>
TENSORLIB_POW_INLINE DoubleExponent<D> double_exponent(Logarithm<D> log, D exp) {
  using namespace double_tables;
  constexpr double shift = 0x1.8p45;
  const D shifted = fma(exp, log.high + log.low, D(shift));
  const D k = shifted - D(shift);
  const D r = fma(exp, log.low, fms(exp, log.high, k));
  const D r2 = r * r;
  const D q45 = fma(D(kExp5), r, D(kExp4));
  const D q23 = fma(D(kExp3), r, D(kExp2));
  const D q1 = fma(r, D(kExp1), lookup(kExpRest, bits_of(shifted)));
  return {shifted, k, fma(fma(q45, r2, q23), r2, q1)};
}

/// 2^k, where that is normal.
template <typename D>
TENSORLIB_POW_INLINE D double_scale(DoubleExponent<D> e) {
  const auto bits = bits_of(e.shifted);
  return from_bits(lookup(double_tables::kExpBits, bits) + shift_left<45>(bits));
}

// Unfit: results that are not normal, and exponents that are not finite. An emulated product of numbers beyond 2^996 overflows, and loses
// its low half below 2^-916: then it stops earlier. Both ways give the same bits, for value is t * (1 + q), rounded once, whatever t's
// exponent.
#if defined(TENSORLIB_POW_FMA)
constexpr double kLargestDoubleLog = 1021;
#else
constexpr double kLargestDoubleLog = 900;
#endif
template <typename D>
TENSORLIB_POW_INLINE Power<D> double_exp2(Logarithm<D> log, D exp) {
  const DoubleExponent<D> e = double_exponent(log, exp);
  const D t = double_scale(e);
  return {fma(t, e.q, t), e.k, not_below(abs(e.k), D(kLargestDoubleLog))};
}

/// size^exp of any size of result, subnormal, none or infinity too. `exp` finite and not 0, `size` positive and finite.
inline double double_pow_far(double size, double exp) {
  const bool subnormal = size < 0x1p-1022;
  Logarithm<OneDouble> log = double_log2(OneDouble(subnormal ? size * 0x1p54 : size));
  if (subnormal) {
    const double high = log.high.values - 54;
    log.low.values += (log.high.values - high) - 54;
    log.high.values = high;
  }
  if (size == 1) return 1;  // an emulated product with a huge exponent would overflow
  const double estimate = exp * log.high.values;
  if (estimate > 1100) return __builtin_inf();
  if (estimate < -1100) return 0;
  const DoubleExponent<OneDouble> e = double_exponent(log, OneDouble(exp));
  const int64_t steps = static_cast<int64_t>(e.k.values * 128);
  const int64_t step = steps & 127, scale = (steps - step) / 128;
  const double t = from_bits(lookup(double_tables::kExpBits, OneBits<int64_t>(step)) + OneBits<int64_t>(step << 45)).values;
  const double value = exact_fma(t, e.q.values, t);
  const int64_t half = scale / 2;
  const auto power_of_two = [](int64_t n) { return from_bits(OneBits<int64_t>((n + 1023) << 52)).values; };
  return value * power_of_two(half) * power_of_two(scale - half);
}

enum class Parity { kNotInteger, kEven, kOdd };
inline Parity parity_of(double exp) {
  const double size = __builtin_fabs(exp);
  if (!(size < 0x1p53)) return size == size ? Parity::kEven : Parity::kNotInteger;
  if (static_cast<double>(static_cast<int64_t>(size)) != size) return Parity::kNotInteger;
  return static_cast<int64_t>(size) & 1 ? Parity::kOdd : Parity::kEven;
}

/// C's Annex F, any base and exponent.
[[gnu::noinline]] double double_pow_special(double base, double exp) {
  if (exp == 0 || base == 1) return 1;
  if (base != base || exp != exp) return base + exp;
  const double size = __builtin_fabs(base), infinity = __builtin_inf();
  if (__builtin_fabs(exp) == infinity) {
    if (size == 1) return 1;
    return (size > 1) == (exp > 0) ? infinity : 0;
  }
  const Parity parity = parity_of(exp);
  const bool negative = __builtin_signbit(base) && parity == Parity::kOdd;
  if (size == 0 || size == infinity) {
    const double end = (size == 0) == (exp > 0) ? 0 : infinity;
    return negative ? -end : end;
  }
  if (base < 0 && parity == Parity::kNotInteger) return __builtin_nan("");
  const double value = double_pow_far(size, exp);
  return negative ? -value : value;
}

}  // namespace
}  // namespace CPU_CAPABILITY
}  // namespace tensorlib::powmath
