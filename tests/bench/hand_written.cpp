// What a person writes who knows the CPU has AVX-512 and cares for nothing but speed: out[i] = x[i]^p for n floats, four registers a step.
// The yardstick of the engine's cheap kernels; special values are nobody's business here.
#include <immintrin.h>

#include <cstddef>

namespace {

template <typename Vector, typename Scalar>
void each(const float* in, float* out, std::size_t n, Vector vector, Scalar scalar) {
  std::size_t i = 0;
  for (; i + 64 <= n; i += 64) {
    for (std::size_t k = 0; k < 64; k += 16) _mm512_storeu_ps(out + i + k, vector(_mm512_loadu_ps(in + i + k)));
  }
  for (; i < n; ++i) out[i] = scalar(in[i]);
}

const auto one = [] { return _mm512_set1_ps(1); };

}  // namespace

extern "C" {
void hand_square(const float* in, float* out, std::size_t n) {
  each(
      in, out, n, [](__m512 x) { return _mm512_mul_ps(x, x); }, [](float x) { return x * x; });
}
void hand_cube(const float* in, float* out, std::size_t n) {
  each(
      in, out, n, [](__m512 x) { return _mm512_mul_ps(_mm512_mul_ps(x, x), x); }, [](float x) { return x * x * x; });
}
void hand_root(const float* in, float* out, std::size_t n) {
  each(
      in, out, n, [](__m512 x) { return _mm512_sqrt_ps(x); }, [](float x) { return __builtin_sqrtf(x); });
}
void hand_inverse(const float* in, float* out, std::size_t n) {
  each(
      in, out, n, [](__m512 x) { return _mm512_div_ps(one(), x); }, [](float x) { return 1 / x; });
}
void hand_inverse_square(const float* in, float* out, std::size_t n) {
  each(
      in, out, n, [](__m512 x) { return _mm512_div_ps(one(), _mm512_mul_ps(x, x)); }, [](float x) { return 1 / (x * x); });
}
}
