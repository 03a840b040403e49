// a * b + c, rounded once, on a CPU with an instruction for it and on one without.
//
// The emulation of double is exact where no term under- or overflows. Where one does, pow's results do not depend on it: they are 1 or
// are computed anew by the way of the special values.
#pragma once

#include <cstdint>

// pow_kernels_fma.cpp defines it itself: g++ 12 does not define __FMA__ for a target pragma.
#if defined(__FMA__) && !defined(TENSORLIB_POW_FMA)
#define TENSORLIB_POW_FMA
#endif

namespace tensorlib::powmath {
namespace CPU_CAPABILITY {
namespace {

#if defined(TENSORLIB_POW_FMA)

inline float exact_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double exact_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }

#else

struct TwoDoubles {
  double high, low;
};
/// a + b exactly.
inline TwoDoubles two_sum(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
/// a * b exactly, by halves of 26 bits.
inline TwoDoubles two_product(double a, double b) {
  const double a_scaled = a * 0x1.0000002p27, b_scaled = b * 0x1.0000002p27;
  const double a_high = a_scaled - (a_scaled - a), b_high = b_scaled - (b_scaled - b);
  const double a_low = a - a_high, b_low = b - b_high;
  const double product = a * b;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}
/// a + b rounded to odd: what a further rounding needs to be the only one.
inline double odd_sum(double a, double b) {
  const TwoDoubles sum = two_sum(a, b);
  int64_t bits;
  __builtin_memcpy(&bits, &sum.high, sizeof bits);
  if (sum.low != 0 && (bits & 1) == 0) bits += (sum.low > 0) == (sum.high > 0) ? 1 : -1;
  double odd;
  __builtin_memcpy(&odd, &bits, sizeof odd);
  return odd;
}
// After Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd" (2008).
inline double exact_fma(double a, double b, double c) {
  const TwoDoubles product = two_product(a, b);
  const TwoDoubles below = two_sum(c, product.low);
  const TwoDoubles above = two_sum(product.high, below.high);
  return above.high + odd_sum(above.low, below.low);
}
/// A product of floats is exact in double, so the sum is rounded twice. That matters only if the first rounding ends half-way between
/// floats.
inline float exact_fma(float a, float b, float c) {
  const double product = static_cast<double>(a) * b;
  const double sum = product + c;
  int64_t bits;
  __builtin_memcpy(&bits, &sum, sizeof bits);
  if ((bits & 0x1fffffff) == 0x10000000) return static_cast<float>(odd_sum(product, c));
  return static_cast<float>(sum);
}

#endif

}  // namespace
}  // namespace CPU_CAPABILITY
}  // namespace tensorlib::powmath
