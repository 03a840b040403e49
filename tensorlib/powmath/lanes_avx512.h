// Lanes of AVX-512: 16 floats, 8 doubles. See lanes.h for what each operation means.
#pragma once

// GCC's own header of these operations warns of values that it leaves undefined on purpose (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include <cstdint>

namespace tensorlib::powmath {
namespace CPU_CAPABILITY {
namespace {

struct FloatMask {
  __mmask16 bits;
  FloatMask operator|(FloatMask b) const { return {static_cast<__mmask16>(bits | b.bits)}; }
  FloatMask operator&(FloatMask b) const { return {static_cast<__mmask16>(bits & b.bits)}; }
  FloatMask operator~() const { return {static_cast<__mmask16>(~bits)}; }
};
struct FloatBits {
  __m512i bits;
  explicit FloatBits(__m512i b) : bits(b) {}
  explicit FloatBits(int32_t b) : bits(_mm512_set1_epi32(b)) {}
  FloatBits operator+(FloatBits b) const { return FloatBits(_mm512_add_epi32(bits, b.bits)); }
  FloatBits operator-(FloatBits b) const { return FloatBits(_mm512_sub_epi32(bits, b.bits)); }
  FloatBits operator&(FloatBits b) const { return FloatBits(_mm512_and_si512(bits, b.bits)); }
  FloatBits operator^(FloatBits b) const { return FloatBits(_mm512_xor_si512(bits, b.bits)); }
};
struct FloatLanes {
  using scalar = float;
  using Mask = FloatMask;
  using Bits = FloatBits;
  static constexpr int size = 16;
  static constexpr float exponent_unit = 0x1p-23f;
  __m512 values;
  FloatLanes() = default;
  FloatLanes(__m512 v) : values(v) {}
  FloatLanes(float v) : values(_mm512_set1_ps(v)) {}
  FloatLanes operator+(FloatLanes b) const { return _mm512_add_ps(values, b.values); }
  FloatLanes operator-(FloatLanes b) const { return _mm512_sub_ps(values, b.values); }
  FloatLanes operator*(FloatLanes b) const { return _mm512_mul_ps(values, b.values); }
  FloatLanes operator/(FloatLanes b) const { return _mm512_div_ps(values, b.values); }
  FloatMask operator<(FloatLanes b) const { return {_mm512_cmp_ps_mask(values, b.values, _CMP_LT_OQ)}; }
  FloatMask operator<=(FloatLanes b) const { return {_mm512_cmp_ps_mask(values, b.values, _CMP_LE_OQ)}; }
  FloatMask operator==(FloatLanes b) const { return {_mm512_cmp_ps_mask(values, b.values, _CMP_EQ_OQ)}; }
  static FloatLanes load(const float* from) { return _mm512_loadu_ps(from); }
  static FloatLanes load(const float* from, int count) {
    return _mm512_mask_loadu_ps(_mm512_set1_ps(1.0f), static_cast<__mmask16>((1u << count) - 1), from);
  }
  void store(float* to) const { _mm512_storeu_ps(to, values); }
  void store(float* to, int count) const { _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << count) - 1), values); }
};
inline FloatLanes fma(FloatLanes a, FloatLanes b, FloatLanes c) { return _mm512_fmadd_ps(a.values, b.values, c.values); }
inline FloatLanes fms(FloatLanes a, FloatLanes b, FloatLanes c) { return _mm512_fmsub_ps(a.values, b.values, c.values); }
inline FloatLanes fnma(FloatLanes a, FloatLanes b, FloatLanes c) { return _mm512_fnmadd_ps(a.values, b.values, c.values); }
inline FloatLanes short_fma(FloatLanes a, FloatLanes b, FloatLanes c) { return fma(a, b, c); }
inline FloatLanes short_fms(FloatLanes a, FloatLanes b, FloatLanes c) { return fms(a, b, c); }
inline FloatLanes abs(FloatLanes a) { return _mm512_abs_ps(a.values); }
inline FloatBits bits_of(FloatLanes a) { return FloatBits(_mm512_castps_si512(a.values)); }
inline FloatLanes from_bits(FloatBits a) { return _mm512_castsi512_ps(a.bits); }
template <int n>
FloatBits shift_left(FloatBits a) {
  return FloatBits(_mm512_slli_epi32(a.bits, n));
}
template <int n>
FloatBits shift_right(FloatBits a) {
  return FloatBits(_mm512_srli_epi32(a.bits, n));
}
inline FloatLanes exponent_units(FloatBits exponent) { return _mm512_cvtepi32_ps(exponent.bits); }
// A permutation looks at the low five bits only.
inline FloatLanes lookup(const float (&table)[32], FloatBits index) {
  return _mm512_permutex2var_ps(_mm512_load_ps(table), index.bits, _mm512_load_ps(table + 16));
}
inline FloatBits lookup(const int32_t (&table)[32], FloatBits index) {
  return FloatBits(_mm512_permutex2var_epi32(_mm512_load_si512(table), index.bits, _mm512_load_si512(table + 16)));
}
inline FloatLanes select(FloatMask mask, FloatLanes yes, FloatLanes no) { return _mm512_mask_blend_ps(mask.bits, no.values, yes.values); }
inline unsigned lanes_of(FloatMask mask) { return mask.bits; }
inline bool any(FloatMask mask) { return mask.bits != 0; }
inline FloatMask not_ordinary(FloatLanes a) { return {_mm512_fpclass_ps_mask(a.values, 0xff)}; }
inline FloatMask not_below(FloatLanes a, FloatLanes limit) { return {_mm512_cmp_ps_mask(a.values, limit.values, _CMP_NLT_UQ)}; }

struct DoubleMask {
  __mmask8 bits;
  DoubleMask operator|(DoubleMask b) const { return {static_cast<__mmask8>(bits | b.bits)}; }
  DoubleMask operator&(DoubleMask b) const { return {static_cast<__mmask8>(bits & b.bits)}; }
  DoubleMask operator~() const { return {static_cast<__mmask8>(~bits)}; }
};
struct DoubleBits {
  __m512i bits;
  explicit DoubleBits(__m512i b) : bits(b) {}
  explicit DoubleBits(int64_t b) : bits(_mm512_set1_epi64(b)) {}
  DoubleBits operator+(DoubleBits b) const { return DoubleBits(_mm512_add_epi64(bits, b.bits)); }
  DoubleBits operator-(DoubleBits b) const { return DoubleBits(_mm512_sub_epi64(bits, b.bits)); }
  DoubleBits operator&(DoubleBits b) const { return DoubleBits(_mm512_and_si512(bits, b.bits)); }
  DoubleBits operator^(DoubleBits b) const { return DoubleBits(_mm512_xor_si512(bits, b.bits)); }
};
struct DoubleLanes {
  using scalar = double;
  using Mask = DoubleMask;
  using Bits = DoubleBits;
  static constexpr int size = 8;
  static constexpr double exponent_unit = 0x1p-52;
  __m512d values;
  DoubleLanes() = default;
  DoubleLanes(__m512d v) : values(v) {}
  DoubleLanes(double v) : values(_mm512_set1_pd(v)) {}
  DoubleLanes operator+(DoubleLanes b) const { return _mm512_add_pd(values, b.values); }
  DoubleLanes operator-(DoubleLanes b) const { return _mm512_sub_pd(values, b.values); }
  DoubleLanes operator*(DoubleLanes b) const { return _mm512_mul_pd(values, b.values); }
  DoubleLanes operator/(DoubleLanes b) const { return _mm512_div_pd(values, b.values); }
  DoubleMask operator<(DoubleLanes b) const { return {_mm512_cmp_pd_mask(values, b.values, _CMP_LT_OQ)}; }
  DoubleMask operator<=(DoubleLanes b) const { return {_mm512_cmp_pd_mask(values, b.values, _CMP_LE_OQ)}; }
  DoubleMask operator==(DoubleLanes b) const { return {_mm512_cmp_pd_mask(values, b.values, _CMP_EQ_OQ)}; }
  static DoubleLanes load(const double* from) { return _mm512_loadu_pd(from); }
  static DoubleLanes load(const double* from, int count) {
    return _mm512_mask_loadu_pd(_mm512_set1_pd(1.0), static_cast<__mmask8>((1u << count) - 1), from);
  }
  static DoubleLanes load(const float* from) { return _mm512_cvtps_pd(_mm256_loadu_ps(from)); }
  void store(double* to) const { _mm512_storeu_pd(to, values); }
  void store(double* to, int count) const { _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1u << count) - 1), values); }
  void store(float* to) const { _mm256_storeu_ps(to, _mm512_cvtpd_ps(values)); }
};
inline DoubleLanes fma(DoubleLanes a, DoubleLanes b, DoubleLanes c) { return _mm512_fmadd_pd(a.values, b.values, c.values); }
inline DoubleLanes fms(DoubleLanes a, DoubleLanes b, DoubleLanes c) { return _mm512_fmsub_pd(a.values, b.values, c.values); }
inline DoubleLanes fnma(DoubleLanes a, DoubleLanes b, DoubleLanes c) { return _mm512_fnmadd_pd(a.values, b.values, c.values); }
inline DoubleLanes short_fma(DoubleLanes a, DoubleLanes b, DoubleLanes c) { return fma(a, b, c); }
inline DoubleLanes short_fms(DoubleLanes a, DoubleLanes b, DoubleLanes c) { return fms(a, b, c); }
inline DoubleLanes abs(DoubleLanes a) { return _mm512_abs_pd(a.values); }
inline DoubleBits bits_of(DoubleLanes a) { return DoubleBits(_mm512_castpd_si512(a.values)); }
inline DoubleLanes from_bits(DoubleBits a) { return _mm512_castsi512_pd(a.bits); }
template <int n>
DoubleBits shift_left(DoubleBits a) {
  return DoubleBits(_mm512_slli_epi64(a.bits, n));
}
template <int n>
DoubleBits shift_right(DoubleBits a) {
  return DoubleBits(_mm512_srli_epi64(a.bits, n));
}
inline DoubleLanes exponent_units(DoubleBits exponent) { return _mm512_cvtepi64_pd(exponent.bits); }
// A gather keeps what its target held where the mask is off. GCC sees that no lane is off, lets the target hold anything, and so may tie
// each round of a loop to the one before. Hiding the mask from it gives a cleared target.
inline __m512d lookup_8(const double* table, __m512i index) {
  __mmask8 all = 0xff;
  asm("" : "+Yk"(all));
  return _mm512_mask_i64gather_pd(_mm512_setzero_pd(), all, _mm512_and_si512(index, _mm512_set1_epi64(127)), table, 8);
}
inline DoubleLanes lookup(const double (&table)[128], DoubleBits index) { return lookup_8(table, index.bits); }
inline DoubleBits lookup(const int64_t (&table)[128], DoubleBits index) {
  return DoubleBits(_mm512_castpd_si512(lookup_8(reinterpret_cast<const double*>(table), index.bits)));
}
inline DoubleLanes select(DoubleMask mask, DoubleLanes yes, DoubleLanes no) {
  return _mm512_mask_blend_pd(mask.bits, no.values, yes.values);
}
inline unsigned lanes_of(DoubleMask mask) { return mask.bits; }
inline bool any(DoubleMask mask) { return mask.bits != 0; }
inline DoubleMask not_ordinary(DoubleLanes a) { return {_mm512_fpclass_pd_mask(a.values, 0xff)}; }
inline DoubleMask not_below(DoubleLanes a, DoubleLanes limit) { return {_mm512_cmp_pd_mask(a.values, limit.values, _CMP_NLT_UQ)}; }

}  // namespace
}  // namespace CPU_CAPABILITY
}  // namespace tensorlib::powmath
