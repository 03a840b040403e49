// pow of whole registers: the quick way, and the ways of lanes that do not fit it.
#pragma once

#include "powmath/pow_float.h"

namespace tensorlib::powmath {
namespace CPU_CAPABILITY {
namespace {

template <typename L>
constexpr bool is_float = sizeof(typename L::scalar) == 4;

template <typename L>
TENSORLIB_POW_INLINE Logarithm<L> log2_of(L base) {
  if constexpr (is_float<L>)
    return float_log2(base);
  else
    return double_log2(base);
}

/// What an exponent must be for the quick way; with doubles the range of the result says it all.
template <typename L>
typename L::Mask unfit_exponent(L exp) {
  return not_below(abs(exp), L(kFloatExponentEnd));
}

template <typename L>
TENSORLIB_POW_INLINE Power<L> exp2_of(Logarithm<L> log, L exp) {
  if constexpr (is_float<L>)
    return float_exp2(log, exp);
  else
    return double_exp2(log, exp);
}

/// The quick way, any lanes.
template <typename L>
TENSORLIB_POW_INLINE Power<L> quick_pow(L base, L exp) {
  const Power<L> power = exp2_of(log2_of(base), exp);
  auto unfit = power.unfit | not_ordinary(base);
  if constexpr (is_float<L>) unfit = unfit | unfit_exponent(exp);
  return {power.value, power.k, unfit};
}

/// Where a number not negative is an integer: all are from 2^23 (2^52) on, below that adding so much rounds to one.
template <typename L>
typename L::Mask is_integer(L size) {
  const L first(is_float<L> ? typename L::scalar(0x1p23) : typename L::scalar(0x1p52));
  return (((size + first) - first) == size) | (first <= size);
}

template <typename L>
L pow_of(L base, L exp);

/// Floats by way of double: pow of the same numbers, rounded.
template <typename F, typename D>
F pow_by_double(F base, F exp, F value, typename F::Mask wanted) {
  constexpr int parts = F::size / D::size;
  float bases[F::size], exps[F::size], values[F::size];
  base.store(bases), exp.store(exps), value.store(values);
  for (int part = 0; part < parts; ++part) {
    const int at = part * D::size;
    const unsigned lanes = (lanes_of(wanted) >> at) & ((1u << D::size) - 1);
    if (lanes == 0) continue;
    float results[D::size];
    pow_of(D::load(bases + at), D::load(exps + at)).store(results);
    for (int lane = 0; lane < D::size; ++lane) {
      if ((lanes >> lane) & 1) values[at + lane] = results[lane];
    }
  }
  return F::load(values);
}

inline FloatLanes pow_unfit(FloatLanes base, FloatLanes exp, FloatLanes value, FloatLanes::Mask wanted) {
  return pow_by_double<FloatLanes, DoubleLanes>(base, exp, value, wanted);
}
inline OneFloat pow_unfit(OneFloat base, OneFloat exp, OneFloat, OneMask) {
  return static_cast<float>(pow_of(OneDouble(base.values), OneDouble(exp.values)).values);
}
template <typename D>
D pow_unfit(D base, D exp, D value, typename D::Mask wanted) {
  double bases[D::size], exps[D::size], values[D::size];
  base.store(bases), exp.store(exps), value.store(values);
  for (unsigned lanes = lanes_of(wanted); lanes != 0; lanes &= lanes - 1) {
    const int lane = __builtin_ctz(lanes);
    values[lane] = double_pow_special(bases[lane], exps[lane]);
  }
  return D::load(values);
}

template <typename L>
L constant(double value) {
  return L(static_cast<typename L::scalar>(value));
}

/// Results beyond the range of double, of ordinary sizes; floats' go to double, where most are nothing special.
template <typename L>
void settle_overflow(L size, Power<L>& power) {
  const auto over = L(1026) <= power.k, under = power.k <= L(-1080);
  power.value = select(over, constant<L>(__builtin_inf()), select(under, L(0), power.value));
  power.unfit = power.unfit & ~((over | under) & ~not_ordinary(size));
}

/// Sizes 0 and infinity; the exponent decides which of the two comes out.
template <typename L>
void settle_ends(L size, L exp, Power<L>& power) {
  const L zero(0), infinity = constant<L>(__builtin_inf());
  const auto ends = ((size == zero) | (size == infinity)) & (zero < abs(exp));
  const auto grows = ((size == zero) & (exp < zero)) | ((size == infinity) & (zero < exp));
  power.value = select(ends, select(grows, infinity, zero), power.value);
  power.unfit = power.unfit & ~ends;
}

/// |base|^exp to base^exp.
template <typename L>
L with_sign(L base, L exp, L value) {
  const L size = abs(base), exp_size = abs(exp);
  const auto integer = is_integer(exp_size);
  const auto odd = integer & ~is_integer(exp_size * constant<L>(0.5));
  const auto no_number = (base < L(0)) & (size < constant<L>(__builtin_inf())) & ~integer;
  const L flipped = from_bits(bits_of(value) ^ (bits_of(base) & bits_of(constant<L>(-0.0))));
  return select(no_number, constant<L>(__builtin_nan("")), select(odd, flipped, value));
}

/// Negative bases, zeros and infinities, still a register at a time; what is left over goes to pow_unfit.
template <typename L>
[[gnu::noinline]] L pow_any(L base, L exp) {
  const L size = abs(base);
  Power<L> power = quick_pow(size, exp);
  if constexpr (!is_float<L>) settle_overflow(size, power);
  settle_ends(size, exp, power);
  const L value = with_sign(base, exp, power.value);
  if (any(power.unfit)) return pow_unfit(base, exp, value, power.unfit);
  return value;
}

template <typename L>
TENSORLIB_POW_INLINE L pow_of(L base, L exp) {
  const Power<L> power = quick_pow(base, exp);
  if (__builtin_expect(any(power.unfit), 0)) return pow_any(base, exp);
  return power.value;
}

}  // namespace
}  // namespace CPU_CAPABILITY
}  // namespace tensorlib::powmath
