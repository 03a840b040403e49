// exp, log, tanh and sigmoid of float and double, for arrays.
//
// A result's bits depend on its element and the type alone: not on the capability, the length, the position or the strides. Errors are
// below 1 ULP (float: below 0.6, sigmoid 1.2); special values are those of C's Annex F, and sigmoid(-inf) = 0, sigmoid(inf) = 1.
//
// Strides are in bytes, of any sign, 0 too. `out` may be the very array of the input; any other overlap is the caller's error. Nothing is
// allocated, nothing throws; thread-safe.
#pragma once

#include <cstddef>

namespace tensorlib::powmath {

#define TENSORLIB_DECLARE_ELEMENTARY(scalar_t)                                                                   \
  void exp(const scalar_t* in, std::ptrdiff_t stride, scalar_t* out, std::ptrdiff_t out_stride, std::size_t n);  \
  void log(const scalar_t* in, std::ptrdiff_t stride, scalar_t* out, std::ptrdiff_t out_stride, std::size_t n);  \
  void tanh(const scalar_t* in, std::ptrdiff_t stride, scalar_t* out, std::ptrdiff_t out_stride, std::size_t n); \
  void sigmoid(const scalar_t* in, std::ptrdiff_t stride, scalar_t* out, std::ptrdiff_t out_stride, std::size_t n);
#define TENSORLIB_DECLARE_ELEMENTARY_IN(capability) \
  namespace capability {                            \
  TENSORLIB_DECLARE_ELEMENTARY(float)               \
  TENSORLIB_DECLARE_ELEMENTARY(double)              \
  }

// The namespaces are those of pow.h.
TENSORLIB_DECLARE_ELEMENTARY_IN(DEFAULT)
TENSORLIB_DECLARE_ELEMENTARY_IN(AVX2)
TENSORLIB_DECLARE_ELEMENTARY_IN(AVX512)
TENSORLIB_DECLARE_ELEMENTARY_IN(DEFAULT_FMA)
#if defined(TENSORLIB_POW_EMULATED)
TENSORLIB_DECLARE_ELEMENTARY_IN(EMULATED)
#endif

#undef TENSORLIB_DECLARE_ELEMENTARY_IN
#undef TENSORLIB_DECLARE_ELEMENTARY

}  // namespace tensorlib::powmath
