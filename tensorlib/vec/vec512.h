// Vectorized<float> and Vectorized<double> in AVX-512 registers.
#pragma once

#include <immintrin.h>

#include "core/Export.h"

namespace tensorlib::vec {
inline namespace CPU_CAPABILITY {

template <typename T>
class Vectorized;

template <>
class Vectorized<float> {
 public:
  /// One truth value per element: a bit.
  struct Mask {
    __mmask16 bits;
    bool any() const { return bits != 0; }
    Mask operator|(Mask other) const { return {static_cast<__mmask16>(bits | other.bits)}; }
  };

  static constexpr int size() { return 16; }

  Vectorized() = default;
  Vectorized(__m512 values) : values_(values) {}
  Vectorized(float value) : values_(_mm512_set1_ps(value)) {}
  static Vectorized loadu(const void* from) { return _mm512_loadu_ps(static_cast<const float*>(from)); }
  void store(void* to) const { _mm512_storeu_ps(static_cast<float*>(to), values_); }

  Vectorized operator+(const Vectorized& b) const { return _mm512_add_ps(values_, b.values_); }
  Vectorized operator-(const Vectorized& b) const { return _mm512_sub_ps(values_, b.values_); }
  Vectorized operator*(const Vectorized& b) const { return _mm512_mul_ps(values_, b.values_); }
  Vectorized operator/(const Vectorized& b) const { return _mm512_div_ps(values_, b.values_); }
  Vectorized sqrt() const { return _mm512_sqrt_ps(values_); }
  Vectorized abs() const { return _mm512_abs_ps(values_); }
  Mask operator==(const Vectorized& b) const { return {_mm512_cmp_ps_mask(values_, b.values_, _CMP_EQ_OQ)}; }
  Mask operator<(const Vectorized& b) const { return {_mm512_cmp_ps_mask(values_, b.values_, _CMP_LT_OQ)}; }
  Mask operator>(const Vectorized& b) const { return {_mm512_cmp_ps_mask(values_, b.values_, _CMP_GT_OQ)}; }

  /// b where the mask is set, else a.
  static Vectorized blendv(const Vectorized& a, const Vectorized& b, Mask mask) {
    return _mm512_mask_blend_ps(mask.bits, a.values_, b.values_);
  }

  template <typename F>
  Vectorized map(F f) const {
    float lanes[size()];
    store(lanes);
    for (float& lane : lanes) lane = f(lane);
    return loadu(lanes);
  }
  template <typename F>
  Vectorized zip(const Vectorized& b, F f) const {
    float left[size()], right[size()];
    store(left), b.store(right);
    for (int i = 0; i < size(); ++i) left[i] = f(left[i], right[i]);
    return loadu(left);
  }

  __m512 values() const { return values_; }

 private:
  __m512 values_;
};

/// a * b + c, rounded once.
inline Vectorized<float> fmadd(const Vectorized<float>& a, const Vectorized<float>& b, const Vectorized<float>& c) {
  return _mm512_fmadd_ps(a.values(), b.values(), c.values());
}

template <>
class Vectorized<double> {
 public:
  /// One truth value per element: a bit.
  struct Mask {
    __mmask8 bits;
    bool any() const { return bits != 0; }
    Mask operator|(Mask other) const { return {static_cast<__mmask8>(bits | other.bits)}; }
  };

  static constexpr int size() { return 8; }

  Vectorized() = default;
  Vectorized(__m512d values) : values_(values) {}
  Vectorized(double value) : values_(_mm512_set1_pd(value)) {}
  static Vectorized loadu(const void* from) { return _mm512_loadu_pd(static_cast<const double*>(from)); }
  void store(void* to) const { _mm512_storeu_pd(static_cast<double*>(to), values_); }

  Vectorized operator+(const Vectorized& b) const { return _mm512_add_pd(values_, b.values_); }
  Vectorized operator-(const Vectorized& b) const { return _mm512_sub_pd(values_, b.values_); }
  Vectorized operator*(const Vectorized& b) const { return _mm512_mul_pd(values_, b.values_); }
  Vectorized operator/(const Vectorized& b) const { return _mm512_div_pd(values_, b.values_); }
  Vectorized sqrt() const { return _mm512_sqrt_pd(values_); }
  Vectorized abs() const { return _mm512_abs_pd(values_); }
  Mask operator==(const Vectorized& b) const { return {_mm512_cmp_pd_mask(values_, b.values_, _CMP_EQ_OQ)}; }
  Mask operator<(const Vectorized& b) const { return {_mm512_cmp_pd_mask(values_, b.values_, _CMP_LT_OQ)}; }
  Mask operator>(const Vectorized& b) const { return {_mm512_cmp_pd_mask(values_, b.values_, _CMP_GT_OQ)}; }

  /// b where the mask is set, else a.
  static Vectorized blendv(const Vectorized& a, const Vectorized& b, Mask mask) {
    return _mm512_mask_blend_pd(mask.bits, a.values_, b.values_);
  }

  template <typename F>
  Vectorized map(F f) const {
    double lanes[size()];
    store(lanes);
    for (double& lane : lanes) lane = f(lane);
    return loadu(lanes);
  }
  template <typename F>
  Vectorized zip(const Vectorized& b, F f) const {
    double left[size()], right[size()];
    store(left), b.store(right);
    for (int i = 0; i < size(); ++i) left[i] = f(left[i], right[i]);
    return loadu(left);
  }

  __m512d values() const { return values_; }

 private:
  __m512d values_;
};

/// a * b + c, rounded once.
inline Vectorized<double> fmadd(const Vectorized<double>& a, const Vectorized<double>& b, const Vectorized<double>& c) {
  return _mm512_fmadd_pd(a.values(), b.values(), c.values());
}

}  // namespace CPU_CAPABILITY
}  // namespace tensorlib::vec
