// exp and log over pow's 2^x and log2: e^x = 2^(x * log2(e)), log(x) = log2(x) * log(2), each product carried in two numbers.
#pragma once

#include "powmath/pow_lanes.h"

namespace tensorlib::powmath {
namespace CPU_CAPABILITY {
namespace {

constexpr double kLog2OfE = 0x1.71547652b82fep+0, kLog2OfERest = 0x1.777d0ffda0d24p-56;
constexpr double kLogOf2 = 0x1.62e42fefa39efp-1, kLogOf2Rest = 0x1.abc9e3b39803fp-56;
/// Of 16 bits, as float_exp2 wants the high part.
constexpr float kFloatLog2OfE = 0x1.7154p+0f, kFloatLog2OfERest = 0x1.d94aep-18f;
constexpr float kFloatLogOf2 = 0x1.62e43p-1f, kFloatLogOf2Rest = -0x1.05c61p-29f;

/// `value` within [low, high]; nan stays.
template <typename L>
L clamped(L value, double low, double high) {
  const L least = constant<L>(low), most = constant<L>(high);
  return select(value < least, least, select(most < value, most, value));
}

/// Any x: 2^200 is taken from the power or given to it before the one rounding that a subnormal result needs.
template <typename D>
D double_exp_far(D x) {
  using Bits = typename D::Bits;
  constexpr int64_t scale = int64_t(200) << 52;
  const DoubleExponent<D> e = double_exponent({D(kLog2OfE), D(kLog2OfERest)}, clamped(x, -746, 710));
  const auto steps = bits_of(e.shifted);
  const Bits bits = lookup(double_tables::kExpBits, steps) + shift_left<45>(steps);
  const auto small = e.k < D(0);
  const D t = select(small, from_bits(bits + Bits(scale)), from_bits(bits - Bits(scale)));
  return fma(t, e.q, t) * select(small, D(0x1p-200), D(0x1p200));
}

template <typename D>
TENSORLIB_POW_INLINE D exp_of_double(D x) {
  const Power<D> power = double_exp2({D(kLog2OfE), D(kLog2OfERest)}, x);
  if (__builtin_expect(any(power.unfit), 0)) return select(power.unfit, double_exp_far(x), power.value);
  return power.value;
}

/// `x` not negative, not 0, finite; subnormal numbers too.
template <typename D>
D double_log_of(Logarithm<D> log) {
  const D product = log.high * D(kLogOf2);
  const D rest = fma(log.high, D(kLogOf2Rest), fms(log.high, D(kLogOf2), product));
  return product + fma(log.low, D(kLogOf2), rest);
}
template <typename D>
D double_log_far(D x) {
  const D infinity = constant<D>(__builtin_inf());
  const auto subnormal = x < D(0x1p-1022);
  Logarithm<D> log = double_log2(select(subnormal, x * D(0x1p54), x));
  const D high = log.high - select(subnormal, D(54), D(0));
  log.low = log.low + ((log.high - high) - select(subnormal, D(54), D(0)));
  log.high = high;
  const D value = select(x == infinity, infinity, double_log_of(log));
  const D negative_or_nan = select(x < D(0), constant<D>(__builtin_nan("")), x);
  return select(x == D(0), D(0) - infinity, select(D(0) < x, value, negative_or_nan));
}

template <typename D>
TENSORLIB_POW_INLINE D log_of_double(D x) {
  const D value = double_log_of(double_log2(x));
  const auto unfit = not_ordinary(x);
  if (__builtin_expect(any(unfit), 0)) return select(unfit, double_log_far(x), value);
  return value;
}

/// function of the same numbers as doubles, rounded.
template <typename D, typename F, typename Function>
F by_double(F x, const Function& function) {
  float values[F::size];
  x.store(values);
  for (int at = 0; at < F::size; at += D::size) function(D::load(values + at)).store(values + at);
  return F::load(values);
}

/// Results beyond 2^+-125, and nan.
[[gnu::noinline]] FloatLanes exp_far(FloatLanes x) {
  return by_double<DoubleLanes>(x, [](DoubleLanes lanes) { return exp_of_double(clamped(lanes, -200, 200)); });
}
TENSORLIB_POW_INLINE FloatLanes exp_of(FloatLanes x) {
  const Power<FloatLanes> power = float_exp2({FloatLanes(kFloatLog2OfE), FloatLanes(kFloatLog2OfERest)}, x);
  if (__builtin_expect(any(power.unfit), 0)) return select(power.unfit, exp_far(x), power.value);
  return power.value;
}
TENSORLIB_POW_INLINE DoubleLanes exp_of(DoubleLanes x) { return exp_of_double(x); }

[[gnu::noinline]] FloatLanes log_far(FloatLanes x) {
  return by_double<DoubleLanes>(x, [](DoubleLanes lanes) { return log_of_double(lanes); });
}
/// log2's error of 2^-35 is too much where the result is below 2^-4: there the series of log(1 + u).
TENSORLIB_POW_INLINE FloatLanes log_of(FloatLanes x) {
  using F = FloatLanes;
  const Logarithm<F> log = float_log2(x);
  const F far = fma(log.high, F(kFloatLogOf2), fma(log.high, F(kFloatLogOf2Rest), log.low * F(kFloatLogOf2)));
  const F u = x - F(1.0f), u2 = u * u;
  F p = F(1.0f / 7);
#pragma GCC unroll 5
  for (int n = 6; n >= 2; --n) p = fma(p, u, constant<F>((n % 2 ? 1.0 : -1.0) / n));
  const F value = select(abs(u) < F(0.0625f), fma(p, u2, u), far);
  const auto unfit = not_ordinary(x);
  if (__builtin_expect(any(unfit), 0)) return select(unfit, log_far(x), value);
  return value;
}
TENSORLIB_POW_INLINE DoubleLanes log_of(DoubleLanes x) { return log_of_double(x); }

}  // namespace
}  // namespace CPU_CAPABILITY
}  // namespace tensorlib::powmath
