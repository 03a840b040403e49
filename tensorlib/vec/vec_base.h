// Vectorized<T> for any CPU: 32 bytes of T and plain loops.
#pragma once

#include <cstdint>

#include "core/Export.h"

namespace tensorlib::vec {
inline namespace CPU_CAPABILITY {

template <typename T>
class Vectorized {
 public:
  /// One truth value per element.
  struct Mask {
    bool lane[32 / sizeof(T)];
    bool any() const {
      bool found = false;
      for (bool l : lane) found |= l;
      return found;
    }
    Mask operator|(const Mask& other) const {
      Mask result;
      for (int i = 0; i < size(); ++i) result.lane[i] = lane[i] || other.lane[i];
      return result;
    }
  };

  static constexpr int size() { return 32 / sizeof(T); }

  Vectorized() = default;
  Vectorized(T value) {
    for (T& v : values_) v = value;
  }
  static Vectorized loadu(const void* from) {
    Vectorized result;
    __builtin_memcpy(result.values_, from, sizeof result.values_);
    return result;
  }
  void store(void* to) const { __builtin_memcpy(to, values_, sizeof values_); }

  Vectorized operator+(const Vectorized& b) const {
    return zip(b, [](T x, T y) { return x + y; });
  }
  Vectorized operator-(const Vectorized& b) const {
    return zip(b, [](T x, T y) { return x - y; });
  }
  Vectorized operator*(const Vectorized& b) const {
    return zip(b, [](T x, T y) { return x * y; });
  }
  Vectorized operator/(const Vectorized& b) const {
    return zip(b, [](T x, T y) { return x / y; });
  }
  Vectorized sqrt() const {
    return map([](T x) {
      if constexpr (sizeof(T) == 4)
        return __builtin_sqrtf(x);
      else
        return __builtin_sqrt(x);
    });
  }
  Vectorized abs() const {
    return map([](T x) {
      if constexpr (sizeof(T) == 4)
        return __builtin_fabsf(x);
      else
        return __builtin_fabs(x);
    });
  }
  Mask operator==(const Vectorized& b) const {
    return compare(b, [](T x, T y) { return x == y; });
  }
  Mask operator<(const Vectorized& b) const {
    return compare(b, [](T x, T y) { return x < y; });
  }
  Mask operator>(const Vectorized& b) const {
    return compare(b, [](T x, T y) { return x > y; });
  }

  /// b where the mask is set, else a.
  static Vectorized blendv(const Vectorized& a, const Vectorized& b, const Mask& mask) {
    Vectorized result;
    for (int i = 0; i < size(); ++i) result.values_[i] = mask.lane[i] ? b.values_[i] : a.values_[i];
    return result;
  }

  template <typename F>
  Vectorized map(F f) const {
    Vectorized result;
    for (int i = 0; i < size(); ++i) result.values_[i] = f(values_[i]);
    return result;
  }
  template <typename F>
  Vectorized zip(const Vectorized& b, F f) const {
    Vectorized result;
    for (int i = 0; i < size(); ++i) result.values_[i] = f(values_[i], b.values_[i]);
    return result;
  }

 private:
  template <typename F>
  Mask compare(const Vectorized& b, F f) const {
    Mask result;
    for (int i = 0; i < size(); ++i) result.lane[i] = f(values_[i], b.values_[i]);
    return result;
  }

  T values_[32 / sizeof(T)];
};

/// a * b + c, rounded once.
inline Vectorized<float> fmadd(const Vectorized<float>& a, const Vectorized<float>& b, const Vectorized<float>& c) {
  float x[8], y[8], z[8];
  a.store(x), b.store(y), c.store(z);
  for (int i = 0; i < 8; ++i) x[i] = __builtin_fmaf(x[i], y[i], z[i]);
  return Vectorized<float>::loadu(x);
}
inline Vectorized<double> fmadd(const Vectorized<double>& a, const Vectorized<double>& b, const Vectorized<double>& c) {
  double x[4], y[4], z[4];
  a.store(x), b.store(y), c.store(z);
  for (int i = 0; i < 4; ++i) x[i] = __builtin_fma(x[i], y[i], z[i]);
  return Vectorized<double>::loadu(x);
}

}  // namespace CPU_CAPABILITY
}  // namespace tensorlib::vec
