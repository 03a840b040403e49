// Lanes of the baseline, SSE2: 4 floats, 2 doubles. See lanes.h for what each operation means.
//
// Where the CPU has no fused multiply-add either, floats have it through double (exact_fma.h says why that takes a check) and doubles by
// error-free sums and products, some forty operations each.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "powmath/exact_fma.h"

namespace tensorlib::powmath {
namespace CPU_CAPABILITY {
namespace {

struct FloatMask {
  __m128 bits;
  FloatMask operator|(FloatMask b) const { return {_mm_or_ps(bits, b.bits)}; }
  FloatMask operator&(FloatMask b) const { return {_mm_and_ps(bits, b.bits)}; }
  FloatMask operator~() const { return {_mm_xor_ps(bits, _mm_castsi128_ps(_mm_set1_epi32(-1)))}; }
};
struct FloatBits {
  __m128i bits;
  explicit FloatBits(__m128i b) : bits(b) {}
  explicit FloatBits(int32_t b) : bits(_mm_set1_epi32(b)) {}
  FloatBits operator+(FloatBits b) const { return FloatBits(_mm_add_epi32(bits, b.bits)); }
  FloatBits operator-(FloatBits b) const { return FloatBits(_mm_sub_epi32(bits, b.bits)); }
  FloatBits operator&(FloatBits b) const { return FloatBits(_mm_and_si128(bits, b.bits)); }
  FloatBits operator^(FloatBits b) const { return FloatBits(_mm_xor_si128(bits, b.bits)); }
};
struct FloatLanes {
  using scalar = float;
  using Mask = FloatMask;
  using Bits = FloatBits;
  static constexpr int size = 4;
  static constexpr float exponent_unit = 0x1p-23f;
  __m128 values;
  FloatLanes() = default;
  FloatLanes(__m128 v) : values(v) {}
  FloatLanes(float v) : values(_mm_set1_ps(v)) {}
  FloatLanes operator+(FloatLanes b) const { return _mm_add_ps(values, b.values); }
  FloatLanes operator-(FloatLanes b) const { return _mm_sub_ps(values, b.values); }
  FloatLanes operator*(FloatLanes b) const { return _mm_mul_ps(values, b.values); }
  FloatLanes operator/(FloatLanes b) const { return _mm_div_ps(values, b.values); }
  FloatMask operator<(FloatLanes b) const { return {_mm_cmplt_ps(values, b.values)}; }
  FloatMask operator<=(FloatLanes b) const { return {_mm_cmple_ps(values, b.values)}; }
  FloatMask operator==(FloatLanes b) const { return {_mm_cmpeq_ps(values, b.values)}; }
  static FloatLanes load(const float* from) { return _mm_loadu_ps(from); }
  void store(float* to) const { _mm_storeu_ps(to, values); }
};

#if defined(TENSORLIB_POW_FMA)
inline FloatLanes fma(FloatLanes a, FloatLanes b, FloatLanes c) { return _mm_fmadd_ps(a.values, b.values, c.values); }
inline FloatLanes fms(FloatLanes a, FloatLanes b, FloatLanes c) { return _mm_fmsub_ps(a.values, b.values, c.values); }
inline FloatLanes fnma(FloatLanes a, FloatLanes b, FloatLanes c) { return _mm_fnmadd_ps(a.values, b.values, c.values); }
inline FloatLanes short_fma(FloatLanes a, FloatLanes b, FloatLanes c) { return fma(a, b, c); }
inline FloatLanes short_fms(FloatLanes a, FloatLanes b, FloatLanes c) { return fms(a, b, c); }
#else
struct Halves {
  __m128d low, high;
};
inline Halves widened(__m128 a) { return {_mm_cvtps_pd(a), _mm_cvtps_pd(_mm_movehl_ps(a, a))}; }
inline __m128 narrowed(Halves a) { return _mm_movelh_ps(_mm_cvtpd_ps(a.low), _mm_cvtpd_ps(a.high)); }

[[gnu::noinline, gnu::cold]] __m128 fma_by_lanes(__m128 a, __m128 b, __m128 c) {
  float x[4], y[4], z[4];
  _mm_storeu_ps(x, a), _mm_storeu_ps(y, b), _mm_storeu_ps(z, c);
  for (int i = 0; i < 4; ++i) x[i] = exact_fma(x[i], y[i], z[i]);
  return _mm_loadu_ps(x);
}
inline FloatLanes fma(FloatLanes a, FloatLanes b, FloatLanes c) {
  const Halves x = widened(a.values), y = widened(b.values), z = widened(c.values);
  const Halves sum = {_mm_add_pd(_mm_mul_pd(x.low, y.low), z.low), _mm_add_pd(_mm_mul_pd(x.high, y.high), z.high)};
  const __m128i ends = _mm_castps_si128(_mm_shuffle_ps(_mm_castpd_ps(sum.low), _mm_castpd_ps(sum.high), 0x88));
  const __m128i halfway = _mm_cmpeq_epi32(_mm_and_si128(ends, _mm_set1_epi32(0x1fffffff)), _mm_set1_epi32(0x10000000));
  if (__builtin_expect(_mm_movemask_epi8(halfway) != 0, 0)) return fma_by_lanes(a.values, b.values, c.values);
  return narrowed(sum);
}
inline FloatLanes negated(FloatLanes a) { return _mm_xor_ps(a.values, _mm_set1_ps(-0.0f)); }
inline FloatLanes fms(FloatLanes a, FloatLanes b, FloatLanes c) { return fma(a, b, negated(c)); }
inline FloatLanes fnma(FloatLanes a, FloatLanes b, FloatLanes c) { return fma(negated(a), b, c); }
inline FloatLanes short_fma(FloatLanes a, FloatLanes b, FloatLanes c) {
  const Halves x = widened(a.values), y = widened(b.values), z = widened(c.values);
  return narrowed({_mm_add_pd(_mm_mul_pd(x.low, y.low), z.low), _mm_add_pd(_mm_mul_pd(x.high, y.high), z.high)});
}
inline FloatLanes short_fms(FloatLanes a, FloatLanes b, FloatLanes c) { return short_fma(a, b, negated(c)); }
#endif
inline FloatLanes abs(FloatLanes a) { return _mm_andnot_ps(_mm_set1_ps(-0.0f), a.values); }
inline FloatBits bits_of(FloatLanes a) { return FloatBits(_mm_castps_si128(a.values)); }
inline FloatLanes from_bits(FloatBits a) { return _mm_castsi128_ps(a.bits); }
template <int n>
FloatBits shift_left(FloatBits a) {
  return FloatBits(_mm_slli_epi32(a.bits, n));
}
template <int n>
FloatBits shift_right(FloatBits a) {
  return FloatBits(_mm_srli_epi32(a.bits, n));
}
inline FloatLanes exponent_units(FloatBits exponent) { return _mm_cvtepi32_ps(exponent.bits); }
template <typename T>
__m128i lookup_4(const T* table, FloatBits index) {
  alignas(16) int32_t at[4];
  _mm_store_si128(reinterpret_cast<__m128i*>(at), _mm_and_si128(index.bits, _mm_set1_epi32(31)));
  int32_t found[4];
  for (int i = 0; i < 4; ++i) __builtin_memcpy(&found[i], &table[at[i]], 4);
  return _mm_setr_epi32(found[0], found[1], found[2], found[3]);
}
inline FloatLanes lookup(const float (&table)[32], FloatBits index) { return _mm_castsi128_ps(lookup_4(table, index)); }
inline FloatBits lookup(const int32_t (&table)[32], FloatBits index) { return FloatBits(lookup_4(table, index)); }
inline FloatLanes select(FloatMask mask, FloatLanes yes, FloatLanes no) {
  return _mm_or_ps(_mm_and_ps(mask.bits, yes.values), _mm_andnot_ps(mask.bits, no.values));
}
inline unsigned lanes_of(FloatMask mask) { return static_cast<unsigned>(_mm_movemask_ps(mask.bits)); }
inline bool any(FloatMask mask) { return lanes_of(mask) != 0; }
inline FloatMask not_below(FloatLanes a, FloatLanes limit) { return {_mm_cmpnlt_ps(a.values, limit.values)}; }
inline FloatMask not_ordinary(FloatLanes a) {
  const __m128i bits = _mm_castps_si128(a.values);
  const __m128i low = _mm_cmpgt_epi32(_mm_set1_epi32(0x00800000), bits), high = _mm_cmpgt_epi32(bits, _mm_set1_epi32(0x7f7fffff));
  return {_mm_castsi128_ps(_mm_or_si128(low, high))};
}

struct DoubleMask {
  __m128d bits;
  DoubleMask operator|(DoubleMask b) const { return {_mm_or_pd(bits, b.bits)}; }
  DoubleMask operator&(DoubleMask b) const { return {_mm_and_pd(bits, b.bits)}; }
  DoubleMask operator~() const { return {_mm_xor_pd(bits, _mm_castsi128_pd(_mm_set1_epi32(-1)))}; }
};
struct DoubleBits {
  __m128i bits;
  explicit DoubleBits(__m128i b) : bits(b) {}
  explicit DoubleBits(int64_t b) : bits(_mm_set1_epi64x(b)) {}
  DoubleBits operator+(DoubleBits b) const { return DoubleBits(_mm_add_epi64(bits, b.bits)); }
  DoubleBits operator-(DoubleBits b) const { return DoubleBits(_mm_sub_epi64(bits, b.bits)); }
  DoubleBits operator&(DoubleBits b) const { return DoubleBits(_mm_and_si128(bits, b.bits)); }
  DoubleBits operator^(DoubleBits b) const { return DoubleBits(_mm_xor_si128(bits, b.bits)); }
};
struct DoubleLanes {
  using scalar = double;
  using Mask = DoubleMask;
  using Bits = DoubleBits;
  static constexpr int size = 2;
  static constexpr double exponent_unit = 0x1p-20;  // the field as the high half has it
  __m128d values;
  DoubleLanes() = default;
  DoubleLanes(__m128d v) : values(v) {}
  DoubleLanes(double v) : values(_mm_set1_pd(v)) {}
  DoubleLanes operator+(DoubleLanes b) const { return _mm_add_pd(values, b.values); }
  DoubleLanes operator-(DoubleLanes b) const { return _mm_sub_pd(values, b.values); }
  DoubleLanes operator*(DoubleLanes b) const { return _mm_mul_pd(values, b.values); }
  DoubleLanes operator/(DoubleLanes b) const { return _mm_div_pd(values, b.values); }
  DoubleMask operator<(DoubleLanes b) const { return {_mm_cmplt_pd(values, b.values)}; }
  DoubleMask operator<=(DoubleLanes b) const { return {_mm_cmple_pd(values, b.values)}; }
  DoubleMask operator==(DoubleLanes b) const { return {_mm_cmpeq_pd(values, b.values)}; }
  static DoubleLanes load(const double* from) { return _mm_loadu_pd(from); }
  static DoubleLanes load(const float* from) { return _mm_setr_pd(from[0], from[1]); }
  void store(double* to) const { _mm_storeu_pd(to, values); }
  void store(float* to) const { _mm_storel_pi(reinterpret_cast<__m64*>(to), _mm_cvtpd_ps(values)); }
};
inline DoubleLanes abs(DoubleLanes a) { return _mm_andnot_pd(_mm_set1_pd(-0.0), a.values); }
inline DoubleBits bits_of(DoubleLanes a) { return DoubleBits(_mm_castpd_si128(a.values)); }
inline DoubleLanes from_bits(DoubleBits a) { return _mm_castsi128_pd(a.bits); }

#if defined(TENSORLIB_POW_FMA)
inline DoubleLanes fma(DoubleLanes a, DoubleLanes b, DoubleLanes c) { return _mm_fmadd_pd(a.values, b.values, c.values); }
inline DoubleLanes fms(DoubleLanes a, DoubleLanes b, DoubleLanes c) { return _mm_fmsub_pd(a.values, b.values, c.values); }
inline DoubleLanes fnma(DoubleLanes a, DoubleLanes b, DoubleLanes c) { return _mm_fnmadd_pd(a.values, b.values, c.values); }
inline DoubleLanes short_fma(DoubleLanes a, DoubleLanes b, DoubleLanes c) { return fma(a, b, c); }
inline DoubleLanes short_fms(DoubleLanes a, DoubleLanes b, DoubleLanes c) { return fms(a, b, c); }
#else
struct TwoLanes {
  DoubleLanes high, low;
};
inline TwoLanes two_sum(DoubleLanes a, DoubleLanes b) {
  const DoubleLanes sum = a + b;
  const DoubleLanes part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
inline TwoLanes two_product(DoubleLanes a, DoubleLanes b) {
  const DoubleLanes a_scaled = a * DoubleLanes(0x1.0000002p27), b_scaled = b * DoubleLanes(0x1.0000002p27);
  const DoubleLanes a_high = a_scaled - (a_scaled - a), b_high = b_scaled - (b_scaled - b);
  const DoubleLanes a_low = a - a_high, b_low = b - b_high;
  const DoubleLanes product = a * b;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}
/// a + b rounded to odd. An even sum that is inexact moves one pattern towards what was lost: up if the signs agree, else down.
inline DoubleLanes odd_sum(DoubleLanes a, DoubleLanes b) {
  const TwoLanes sum = two_sum(a, b);
  const __m128i bits = bits_of(sum.high).bits, one = _mm_set1_epi64x(1);
  const __m128i inexact = _mm_castpd_si128(_mm_cmpneq_pd(sum.low.values, _mm_setzero_pd()));
  const __m128i even = _mm_andnot_si128(bits, one);
  const __m128i differ = _mm_srli_epi64(_mm_xor_si128(bits, bits_of(sum.low).bits), 63);
  const __m128i step = _mm_sub_epi64(one, _mm_add_epi64(differ, differ));                   // 1 or -1
  const __m128i wanted = _mm_sub_epi64(_mm_setzero_si128(), _mm_and_si128(inexact, even));  // all bits or none
  return from_bits(DoubleBits(_mm_add_epi64(bits, _mm_and_si128(step, wanted))));
}
[[gnu::noinline]] DoubleLanes fma(DoubleLanes a, DoubleLanes b, DoubleLanes c) {
  const TwoLanes product = two_product(a, b);
  const TwoLanes below = two_sum(c, product.low);
  const TwoLanes above = two_sum(product.high, below.high);
  return above.high + odd_sum(above.low, below.low);
}
inline DoubleLanes fms(DoubleLanes a, DoubleLanes b, DoubleLanes c) {
  return fma(a, b, DoubleLanes(_mm_xor_pd(c.values, _mm_set1_pd(-0.0))));
}
inline DoubleLanes fnma(DoubleLanes a, DoubleLanes b, DoubleLanes c) {
  return fma(DoubleLanes(_mm_xor_pd(a.values, _mm_set1_pd(-0.0))), b, c);
}
inline DoubleLanes short_fma(DoubleLanes a, DoubleLanes b, DoubleLanes c) {
  const TwoLanes product = two_product(a, b);
  return (product.high + c) + product.low;
}
inline DoubleLanes short_fms(DoubleLanes a, DoubleLanes b, DoubleLanes c) {
  const TwoLanes product = two_product(a, b);
  return (product.high - c) + product.low;
}
#endif
template <int n>
DoubleBits shift_left(DoubleBits a) {
  return DoubleBits(_mm_slli_epi64(a.bits, n));
}
template <int n>
DoubleBits shift_right(DoubleBits a) {
  return DoubleBits(_mm_srli_epi64(a.bits, n));
}
// There is no conversion from 64-bit integers: the high halves, side by side, have one.
inline DoubleLanes exponent_units(DoubleBits exponent) { return _mm_cvtepi32_pd(_mm_shuffle_epi32(exponent.bits, 0x0d)); }
inline DoubleLanes lookup(const double (&table)[128], DoubleBits index) {
  const int64_t first = _mm_cvtsi128_si64(index.bits) & 127, second = _mm_cvtsi128_si64(_mm_unpackhi_epi64(index.bits, index.bits)) & 127;
  return _mm_setr_pd(table[first], table[second]);
}
inline DoubleBits lookup(const int64_t (&table)[128], DoubleBits index) {
  const int64_t first = _mm_cvtsi128_si64(index.bits) & 127, second = _mm_cvtsi128_si64(_mm_unpackhi_epi64(index.bits, index.bits)) & 127;
  return DoubleBits(_mm_set_epi64x(table[second], table[first]));
}
inline DoubleLanes select(DoubleMask mask, DoubleLanes yes, DoubleLanes no) {
  return _mm_or_pd(_mm_and_pd(mask.bits, yes.values), _mm_andnot_pd(mask.bits, no.values));
}
inline unsigned lanes_of(DoubleMask mask) { return static_cast<unsigned>(_mm_movemask_pd(mask.bits)); }
inline bool any(DoubleMask mask) { return lanes_of(mask) != 0; }
inline DoubleMask not_below(DoubleLanes a, DoubleLanes limit) { return {_mm_cmpnlt_pd(a.values, limit.values)}; }
inline DoubleMask not_ordinary(DoubleLanes a) { return ~((DoubleLanes(0x1p-1022) <= a) & (a < DoubleLanes(__builtin_inf()))); }

}  // namespace
}  // namespace CPU_CAPABILITY
}  // namespace tensorlib::powmath
