// Lanes of AVX2 with FMA: 8 floats, 4 doubles. See lanes.h for what each operation means.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace tensorlib::powmath {
namespace CPU_CAPABILITY {
namespace {

struct FloatMask {
  __m256 bits;
  FloatMask operator|(FloatMask b) const { return {_mm256_or_ps(bits, b.bits)}; }
  FloatMask operator&(FloatMask b) const { return {_mm256_and_ps(bits, b.bits)}; }
  FloatMask operator~() const { return {_mm256_xor_ps(bits, _mm256_castsi256_ps(_mm256_set1_epi32(-1)))}; }
};
struct FloatBits {
  __m256i bits;
  explicit FloatBits(__m256i b) : bits(b) {}
  explicit FloatBits(int32_t b) : bits(_mm256_set1_epi32(b)) {}
  FloatBits operator+(FloatBits b) const { return FloatBits(_mm256_add_epi32(bits, b.bits)); }
  FloatBits operator-(FloatBits b) const { return FloatBits(_mm256_sub_epi32(bits, b.bits)); }
  FloatBits operator&(FloatBits b) const { return FloatBits(_mm256_and_si256(bits, b.bits)); }
  FloatBits operator^(FloatBits b) const { return FloatBits(_mm256_xor_si256(bits, b.bits)); }
};
struct FloatLanes {
  using scalar = float;
  using Mask = FloatMask;
  using Bits = FloatBits;
  static constexpr int size = 8;
  static constexpr float exponent_unit = 0x1p-23f;
  __m256 values;
  FloatLanes() = default;
  FloatLanes(__m256 v) : values(v) {}
  FloatLanes(float v) : values(_mm256_set1_ps(v)) {}
  FloatLanes operator+(FloatLanes b) const { return _mm256_add_ps(values, b.values); }
  FloatLanes operator-(FloatLanes b) const { return _mm256_sub_ps(values, b.values); }
  FloatLanes operator*(FloatLanes b) const { return _mm256_mul_ps(values, b.values); }
  FloatLanes operator/(FloatLanes b) const { return _mm256_div_ps(values, b.values); }
  FloatMask operator<(FloatLanes b) const { return {_mm256_cmp_ps(values, b.values, _CMP_LT_OQ)}; }
  FloatMask operator<=(FloatLanes b) const { return {_mm256_cmp_ps(values, b.values, _CMP_LE_OQ)}; }
  FloatMask operator==(FloatLanes b) const { return {_mm256_cmp_ps(values, b.values, _CMP_EQ_OQ)}; }
  static FloatLanes load(const float* from) { return _mm256_loadu_ps(from); }
  void store(float* to) const { _mm256_storeu_ps(to, values); }
};
inline FloatLanes fma(FloatLanes a, FloatLanes b, FloatLanes c) { return _mm256_fmadd_ps(a.values, b.values, c.values); }
inline FloatLanes fms(FloatLanes a, FloatLanes b, FloatLanes c) { return _mm256_fmsub_ps(a.values, b.values, c.values); }
inline FloatLanes fnma(FloatLanes a, FloatLanes b, FloatLanes c) { return _mm256_fnmadd_ps(a.values, b.values, c.values); }
inline FloatLanes short_fma(FloatLanes a, FloatLanes b, FloatLanes c) { return fma(a, b, c); }
inline FloatLanes short_fms(FloatLanes a, FloatLanes b, FloatLanes c) { return fms(a, b, c); }
inline FloatLanes abs(FloatLanes a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.values); }
inline FloatBits bits_of(FloatLanes a) { return FloatBits(_mm256_castps_si256(a.values)); }
inline FloatLanes from_bits(FloatBits a) { return _mm256_castsi256_ps(a.bits); }
template <int n>
FloatBits shift_left(FloatBits a) {
  return FloatBits(_mm256_slli_epi32(a.bits, n));
}
template <int n>
FloatBits shift_right(FloatBits a) {
  return FloatBits(_mm256_srli_epi32(a.bits, n));
}
inline FloatLanes exponent_units(FloatBits exponent) { return _mm256_cvtepi32_ps(exponent.bits); }
// A gather keeps what its target held where the mask is off. GCC sees that no lane is off, lets the target hold anything, and so ties each
// round of a loop to the one before: half the speed. Hiding the mask from it gives a cleared target.
inline __m256 all_lanes() {
  __m256 mask = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
  asm("" : "+x"(mask));
  return mask;
}
inline __m256 lookup_8(const float* table, __m256i index) {
  return _mm256_mask_i32gather_ps(_mm256_setzero_ps(), table, _mm256_and_si256(index, _mm256_set1_epi32(31)), all_lanes(), 4);
}
inline FloatLanes lookup(const float (&table)[32], FloatBits index) { return lookup_8(table, index.bits); }
inline FloatBits lookup(const int32_t (&table)[32], FloatBits index) {
  return FloatBits(_mm256_castps_si256(lookup_8(reinterpret_cast<const float*>(table), index.bits)));
}
inline FloatLanes select(FloatMask mask, FloatLanes yes, FloatLanes no) { return _mm256_blendv_ps(no.values, yes.values, mask.bits); }
inline unsigned lanes_of(FloatMask mask) { return static_cast<unsigned>(_mm256_movemask_ps(mask.bits)); }
inline bool any(FloatMask mask) { return lanes_of(mask) != 0; }
inline FloatMask not_below(FloatLanes a, FloatLanes limit) { return {_mm256_cmp_ps(a.values, limit.values, _CMP_NLT_UQ)}; }
// Patterns of ordinary numbers, as signed integers, are those from that of 2^-126 to below that of infinity.
inline FloatMask not_ordinary(FloatLanes a) {
  const __m256i bits = _mm256_castps_si256(a.values);
  const __m256i low = _mm256_cmpgt_epi32(_mm256_set1_epi32(0x00800000), bits),
                high = _mm256_cmpgt_epi32(bits, _mm256_set1_epi32(0x7f7fffff));
  return {_mm256_castsi256_ps(_mm256_or_si256(low, high))};
}

struct DoubleMask {
  __m256d bits;
  DoubleMask operator|(DoubleMask b) const { return {_mm256_or_pd(bits, b.bits)}; }
  DoubleMask operator&(DoubleMask b) const { return {_mm256_and_pd(bits, b.bits)}; }
  DoubleMask operator~() const { return {_mm256_xor_pd(bits, _mm256_castsi256_pd(_mm256_set1_epi64x(-1)))}; }
};
struct DoubleBits {
  __m256i bits;
  explicit DoubleBits(__m256i b) : bits(b) {}
  explicit DoubleBits(int64_t b) : bits(_mm256_set1_epi64x(b)) {}
  DoubleBits operator+(DoubleBits b) const { return DoubleBits(_mm256_add_epi64(bits, b.bits)); }
  DoubleBits operator-(DoubleBits b) const { return DoubleBits(_mm256_sub_epi64(bits, b.bits)); }
  DoubleBits operator&(DoubleBits b) const { return DoubleBits(_mm256_and_si256(bits, b.bits)); }
  DoubleBits operator^(DoubleBits b) const { return DoubleBits(_mm256_xor_si256(bits, b.bits)); }
};
struct DoubleLanes {
  using scalar = double;
  using Mask = DoubleMask;
  using Bits = DoubleBits;
  static constexpr int size = 4;
  static constexpr double exponent_unit = 0x1p-20;  // the field as the high half has it
  __m256d values;
  DoubleLanes() = default;
  DoubleLanes(__m256d v) : values(v) {}
  DoubleLanes(double v) : values(_mm256_set1_pd(v)) {}
  DoubleLanes operator+(DoubleLanes b) const { return _mm256_add_pd(values, b.values); }
  DoubleLanes operator-(DoubleLanes b) const { return _mm256_sub_pd(values, b.values); }
  DoubleLanes operator*(DoubleLanes b) const { return _mm256_mul_pd(values, b.values); }
  DoubleLanes operator/(DoubleLanes b) const { return _mm256_div_pd(values, b.values); }
  DoubleMask operator<(DoubleLanes b) const { return {_mm256_cmp_pd(values, b.values, _CMP_LT_OQ)}; }
  DoubleMask operator<=(DoubleLanes b) const { return {_mm256_cmp_pd(values, b.values, _CMP_LE_OQ)}; }
  DoubleMask operator==(DoubleLanes b) const { return {_mm256_cmp_pd(values, b.values, _CMP_EQ_OQ)}; }
  static DoubleLanes load(const double* from) { return _mm256_loadu_pd(from); }
  static DoubleLanes load(const float* from) { return _mm256_cvtps_pd(_mm_loadu_ps(from)); }
  void store(double* to) const { _mm256_storeu_pd(to, values); }
  void store(float* to) const { _mm_storeu_ps(to, _mm256_cvtpd_ps(values)); }
};
inline DoubleLanes fma(DoubleLanes a, DoubleLanes b, DoubleLanes c) { return _mm256_fmadd_pd(a.values, b.values, c.values); }
inline DoubleLanes fms(DoubleLanes a, DoubleLanes b, DoubleLanes c) { return _mm256_fmsub_pd(a.values, b.values, c.values); }
inline DoubleLanes fnma(DoubleLanes a, DoubleLanes b, DoubleLanes c) { return _mm256_fnmadd_pd(a.values, b.values, c.values); }
inline DoubleLanes short_fma(DoubleLanes a, DoubleLanes b, DoubleLanes c) { return fma(a, b, c); }
inline DoubleLanes short_fms(DoubleLanes a, DoubleLanes b, DoubleLanes c) { return fms(a, b, c); }
inline DoubleLanes abs(DoubleLanes a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a.values); }
inline DoubleBits bits_of(DoubleLanes a) { return DoubleBits(_mm256_castpd_si256(a.values)); }
inline DoubleLanes from_bits(DoubleBits a) { return _mm256_castsi256_pd(a.bits); }
template <int n>
DoubleBits shift_left(DoubleBits a) {
  return DoubleBits(_mm256_slli_epi64(a.bits, n));
}
template <int n>
DoubleBits shift_right(DoubleBits a) {
  return DoubleBits(_mm256_srli_epi64(a.bits, n));
}
// There is no conversion from 64-bit integers: the high halves, side by side, have one.
inline DoubleLanes exponent_units(DoubleBits exponent) {
  const __m256i high = _mm256_permutevar8x32_epi32(exponent.bits, _mm256_setr_epi32(1, 3, 5, 7, 1, 3, 5, 7));
  return _mm256_cvtepi32_pd(_mm256_castsi256_si128(high));
}
inline __m256d lookup_4(const double* table, __m256i index) {
  return _mm256_mask_i64gather_pd(_mm256_setzero_pd(), table, _mm256_and_si256(index, _mm256_set1_epi64x(127)),
                                  _mm256_castps_pd(all_lanes()), 8);
}
inline DoubleLanes lookup(const double (&table)[128], DoubleBits index) { return lookup_4(table, index.bits); }
inline DoubleBits lookup(const int64_t (&table)[128], DoubleBits index) {
  return DoubleBits(_mm256_castpd_si256(lookup_4(reinterpret_cast<const double*>(table), index.bits)));
}
inline DoubleLanes select(DoubleMask mask, DoubleLanes yes, DoubleLanes no) { return _mm256_blendv_pd(no.values, yes.values, mask.bits); }
inline unsigned lanes_of(DoubleMask mask) { return static_cast<unsigned>(_mm256_movemask_pd(mask.bits)); }
inline bool any(DoubleMask mask) { return lanes_of(mask) != 0; }
inline DoubleMask not_below(DoubleLanes a, DoubleLanes limit) { return {_mm256_cmp_pd(a.values, limit.values, _CMP_NLT_UQ)}; }
inline DoubleMask not_ordinary(DoubleLanes a) {
  const __m256i bits = _mm256_castpd_si256(a.values);
  const __m256i low = _mm256_cmpgt_epi64(_mm256_set1_epi64x(0x0010000000000000), bits);
  const __m256i high = _mm256_cmpgt_epi64(bits, _mm256_set1_epi64x(0x7fefffffffffffff));
  return {_mm256_castsi256_pd(_mm256_or_si256(low, high))};
}

}  // namespace
}  // namespace CPU_CAPABILITY
}  // namespace tensorlib::powmath
