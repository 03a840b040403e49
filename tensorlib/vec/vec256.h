// Vectorized<float> and Vectorized<double> in AVX2 registers.
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
  /// One truth value per element: all bits of a lane.
  struct Mask {
    __m256 bits;
    bool any() const { return _mm256_movemask_ps(bits) != 0; }
    Mask operator|(Mask other) const { return {_mm256_or_ps(bits, other.bits)}; }
  };

  static constexpr int size() { return 8; }

  Vectorized() = default;
  Vectorized(__m256 values) : values_(values) {}
  Vectorized(float value) : values_(_mm256_set1_ps(value)) {}
  static Vectorized loadu(const void* from) { return _mm256_loadu_ps(static_cast<const float*>(from)); }
  void store(void* to) const { _mm256_storeu_ps(static_cast<float*>(to), values_); }

  Vectorized operator+(const Vectorized& b) const { return _mm256_add_ps(values_, b.values_); }
  Vectorized operator-(const Vectorized& b) const { return _mm256_sub_ps(values_, b.values_); }
  Vectorized operator*(const Vectorized& b) const { return _mm256_mul_ps(values_, b.values_); }
  Vectorized operator/(const Vectorized& b) const { return _mm256_div_ps(values_, b.values_); }
  Vectorized sqrt() const { return _mm256_sqrt_ps(values_); }
  Vectorized abs() const { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), values_); }
  Mask operator==(const Vectorized& b) const { return {_mm256_cmp_ps(values_, b.values_, _CMP_EQ_OQ)}; }
  Mask operator<(const Vectorized& b) const { return {_mm256_cmp_ps(values_, b.values_, _CMP_LT_OQ)}; }
  Mask operator>(const Vectorized& b) const { return {_mm256_cmp_ps(values_, b.values_, _CMP_GT_OQ)}; }

  /// b where the mask is set, else a.
  static Vectorized blendv(const Vectorized& a, const Vectorized& b, Mask mask) {
    return _mm256_blendv_ps(a.values_, b.values_, mask.bits);
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

  __m256 values() const { return values_; }

 private:
  __m256 values_;
};

/// a * b + c, rounded once.
inline Vectorized<float> fmadd(const Vectorized<float>& a, const Vectorized<float>& b, const Vectorized<float>& c) {
  return _mm256_fmadd_ps(a.values(), b.values(), c.values());
}

template <>
class Vectorized<double> {
 public:
  /// One truth value per element: all bits of a lane.
  struct Mask {
    __m256d bits;
    bool any() const { return _mm256_movemask_pd(bits) != 0; }
    Mask operator|(Mask other) const { return {_mm256_or_pd(bits, other.bits)}; }
  };

  static constexpr int size() { return 4; }

  Vectorized() = default;
  Vectorized(__m256d values) : values_(values) {}
  Vectorized(double value) : values_(_mm256_set1_pd(value)) {}
  static Vectorized loadu(const void* from) { return _mm256_loadu_pd(static_cast<const double*>(from)); }
  void store(void* to) const { _mm256_storeu_pd(static_cast<double*>(to), values_); }

  Vectorized operator+(const Vectorized& b) const { return _mm256_add_pd(values_, b.values_); }
  Vectorized operator-(const Vectorized& b) const { return _mm256_sub_pd(values_, b.values_); }
  Vectorized operator*(const Vectorized& b) const { return _mm256_mul_pd(values_, b.values_); }
  Vectorized operator/(const Vectorized& b) const { return _mm256_div_pd(values_, b.values_); }
  Vectorized sqrt() const { return _mm256_sqrt_pd(values_); }
  Vectorized abs() const { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), values_); }
  Mask operator==(const Vectorized& b) const { return {_mm256_cmp_pd(values_, b.values_, _CMP_EQ_OQ)}; }
  Mask operator<(const Vectorized& b) const { return {_mm256_cmp_pd(values_, b.values_, _CMP_LT_OQ)}; }
  Mask operator>(const Vectorized& b) const { return {_mm256_cmp_pd(values_, b.values_, _CMP_GT_OQ)}; }

  /// b where the mask is set, else a.
  static Vectorized blendv(const Vectorized& a, const Vectorized& b, Mask mask) {
    return _mm256_blendv_pd(a.values_, b.values_, mask.bits);
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

  __m256d values() const { return values_; }

 private:
  __m256d values_;
};

/// a * b + c, rounded once.
inline Vectorized<double> fmadd(const Vectorized<double>& a, const Vectorized<double>& b, const Vectorized<double>& c) {
  return _mm256_fmadd_pd(a.values(), b.values(), c.values());
}

}  // namespace CPU_CAPABILITY
}  // namespace tensorlib::vec
