// Vectorized<float> and Vectorized<double> in registers of SSE2, which every x86-64 has.
#pragma once

#include <emmintrin.h>

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
    __m128 bits;
    bool any() const { return _mm_movemask_ps(bits) != 0; }
    Mask operator|(Mask other) const { return {_mm_or_ps(bits, other.bits)}; }
  };

  static constexpr int size() { return 4; }

  Vectorized() = default;
  Vectorized(__m128 values) : values_(values) {}
  Vectorized(float value) : values_(_mm_set1_ps(value)) {}
  static Vectorized loadu(const void* from) { return _mm_loadu_ps(static_cast<const float*>(from)); }
  void store(void* to) const { _mm_storeu_ps(static_cast<float*>(to), values_); }

  Vectorized operator+(const Vectorized& b) const { return _mm_add_ps(values_, b.values_); }
  Vectorized operator-(const Vectorized& b) const { return _mm_sub_ps(values_, b.values_); }
  Vectorized operator*(const Vectorized& b) const { return _mm_mul_ps(values_, b.values_); }
  Vectorized operator/(const Vectorized& b) const { return _mm_div_ps(values_, b.values_); }
  Vectorized sqrt() const { return _mm_sqrt_ps(values_); }
  Vectorized abs() const { return _mm_andnot_ps(_mm_set1_ps(-0.0f), values_); }
  Mask operator==(const Vectorized& b) const { return {_mm_cmpeq_ps(values_, b.values_)}; }
  Mask operator<(const Vectorized& b) const { return {_mm_cmplt_ps(values_, b.values_)}; }
  Mask operator>(const Vectorized& b) const { return {_mm_cmpgt_ps(values_, b.values_)}; }

  /// b where the mask is set, else a.
  static Vectorized blendv(const Vectorized& a, const Vectorized& b, Mask mask) {
    return _mm_or_ps(_mm_and_ps(mask.bits, b.values_), _mm_andnot_ps(mask.bits, a.values_));
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

  __m128 values() const { return values_; }

 private:
  __m128 values_;
};

/// a * b + c, rounded once.
inline Vectorized<float> fmadd(const Vectorized<float>& a, const Vectorized<float>& b, const Vectorized<float>& c) {
  float x[4], y[4], z[4];
  a.store(x), b.store(y), c.store(z);
  for (int i = 0; i < 4; ++i) x[i] = __builtin_fmaf(x[i], y[i], z[i]);
  return Vectorized<float>::loadu(x);
}

template <>
class Vectorized<double> {
 public:
  /// One truth value per element: all bits of a lane.
  struct Mask {
    __m128d bits;
    bool any() const { return _mm_movemask_pd(bits) != 0; }
    Mask operator|(Mask other) const { return {_mm_or_pd(bits, other.bits)}; }
  };

  static constexpr int size() { return 2; }

  Vectorized() = default;
  Vectorized(__m128d values) : values_(values) {}
  Vectorized(double value) : values_(_mm_set1_pd(value)) {}
  static Vectorized loadu(const void* from) { return _mm_loadu_pd(static_cast<const double*>(from)); }
  void store(void* to) const { _mm_storeu_pd(static_cast<double*>(to), values_); }

  Vectorized operator+(const Vectorized& b) const { return _mm_add_pd(values_, b.values_); }
  Vectorized operator-(const Vectorized& b) const { return _mm_sub_pd(values_, b.values_); }
  Vectorized operator*(const Vectorized& b) const { return _mm_mul_pd(values_, b.values_); }
  Vectorized operator/(const Vectorized& b) const { return _mm_div_pd(values_, b.values_); }
  Vectorized sqrt() const { return _mm_sqrt_pd(values_); }
  Vectorized abs() const { return _mm_andnot_pd(_mm_set1_pd(-0.0), values_); }
  Mask operator==(const Vectorized& b) const { return {_mm_cmpeq_pd(values_, b.values_)}; }
  Mask operator<(const Vectorized& b) const { return {_mm_cmplt_pd(values_, b.values_)}; }
  Mask operator>(const Vectorized& b) const { return {_mm_cmpgt_pd(values_, b.values_)}; }

  /// b where the mask is set, else a.
  static Vectorized blendv(const Vectorized& a, const Vectorized& b, Mask mask) {
    return _mm_or_pd(_mm_and_pd(mask.bits, b.values_), _mm_andnot_pd(mask.bits, a.values_));
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

  __m128d values() const { return values_; }

 private:
  __m128d values_;
};

/// a * b + c, rounded once.
inline Vectorized<double> fmadd(const Vectorized<double>& a, const Vectorized<double>& b, const Vectorized<double>& c) {
  double x[2], y[2], z[2];
  a.store(x), b.store(y), c.store(z);
  for (int i = 0; i < 2; ++i) x[i] = __builtin_fma(x[i], y[i], z[i]);
  return Vectorized<double>::loadu(x);
}

}  // namespace CPU_CAPABILITY
}  // namespace tensorlib::vec
