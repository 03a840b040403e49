#include "sleef_pow.hpp"

#if defined(CALLPATH_HAVE_SLEEF)
#include <immintrin.h>
#include <sleef.h>
#endif

namespace callpath::bench {

#if defined(CALLPATH_HAVE_SLEEF)

namespace {

void float_8(const float* base, const float* exp, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; i += 8)
    _mm256_storeu_ps(out + i, Sleef_powf8_u10avx2(_mm256_loadu_ps(base + i), _mm256_loadu_ps(exp + i)));
}
void float_16(const float* base, const float* exp, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; i += 16)
    _mm512_storeu_ps(out + i, Sleef_powf16_u10avx512f(_mm512_loadu_ps(base + i), _mm512_loadu_ps(exp + i)));
}
void double_4(const double* base, const double* exp, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; i += 4)
    _mm256_storeu_pd(out + i, Sleef_powd4_u10avx2(_mm256_loadu_pd(base + i), _mm256_loadu_pd(exp + i)));
}
void double_8(const double* base, const double* exp, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; i += 8)
    _mm512_storeu_pd(out + i, Sleef_powd8_u10avx512f(_mm512_loadu_pd(base + i), _mm512_loadu_pd(exp + i)));
}

}  // namespace

template <>
std::vector<std::pair<std::string, ArrayPow<float>>> sleef_pows<float>() {
  return {{"AVX2", float_8}, {"AVX512", float_16}};
}
template <>
std::vector<std::pair<std::string, ArrayPow<double>>> sleef_pows<double>() {
  return {{"AVX2", double_4}, {"AVX512", double_8}};
}

#else

template <>
std::vector<std::pair<std::string, ArrayPow<float>>> sleef_pows<float>() {
  return {};
}
template <>
std::vector<std::pair<std::string, ArrayPow<double>>> sleef_pows<double>() {
  return {};
}

#endif

}  // namespace callpath::bench
