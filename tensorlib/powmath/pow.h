// pow of float and double: the general function, for arrays and for one pair.
//
// A result's bits depend on its base, its exponent and the type alone: not on the capability, the form (array or pair, scalar or
// array exponent), the length, the position or the strides. A positive base gives at most 0.6 ULP of error where the result is normal and
// 1 ULP where it is subnormal; special values are those of C's Annex F.
//
// Strides are in bytes, of any sign, 0 too. `out` may be the very array of an input (same address and stride); any other overlap
// is the caller's error. Nothing is allocated, nothing throws; thread-safe. `<x>_stride == sizeof(T)` everywhere is the quick way.
#pragma once

#include <cstddef>

namespace tensorlib::powmath {

#define TENSORLIB_DECLARE_POW(scalar_t)                                                                                              \
  scalar_t pow(scalar_t base, scalar_t exp);                                                                                         \
  /* out[i] = base[i] ** exp */                                                                                                      \
  void pow_scalar_exponent(const scalar_t* base, std::ptrdiff_t base_stride, scalar_t exp, scalar_t* out, std::ptrdiff_t out_stride, \
                           std::size_t n);                                                                                           \
  /* out[i] = base ** exp[i] */                                                                                                      \
  void pow_scalar_base(scalar_t base, const scalar_t* exp, std::ptrdiff_t exp_stride, scalar_t* out, std::ptrdiff_t out_stride,      \
                       std::size_t n);                                                                                               \
  /* out[i] = base[i] ** exp[i] */                                                                                                   \
  void pow_tensor(const scalar_t* base, std::ptrdiff_t base_stride, const scalar_t* exp, std::ptrdiff_t exp_stride, scalar_t* out,   \
                  std::ptrdiff_t out_stride, std::size_t n);

// One namespace per capability, named as CPU_CAPABILITY: a kernel source calls powmath::CPU_CAPABILITY::pow_tensor.
namespace DEFAULT {
TENSORLIB_DECLARE_POW(float)
TENSORLIB_DECLARE_POW(double)
}  // namespace DEFAULT
namespace AVX2 {
TENSORLIB_DECLARE_POW(float)
TENSORLIB_DECLARE_POW(double)
}  // namespace AVX2
namespace AVX512 {
TENSORLIB_DECLARE_POW(float)
TENSORLIB_DECLARE_POW(double)
}  // namespace AVX512

// What DEFAULT hands over to on a CPU that has a fused multiply-add (else it emulates one, at a tenth of the speed).
namespace DEFAULT_FMA {
TENSORLIB_DECLARE_POW(float)
TENSORLIB_DECLARE_POW(double)
}  // namespace DEFAULT_FMA

// Tests compile the emulation under a name of its own.
#if defined(TENSORLIB_POW_EMULATED)
namespace EMULATED {
TENSORLIB_DECLARE_POW(float)
TENSORLIB_DECLARE_POW(double)
}  // namespace EMULATED
#endif

#undef TENSORLIB_DECLARE_POW

}  // namespace tensorlib::powmath
