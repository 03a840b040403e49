// How normals are made from uniforms. The float32 path of blocks is built from the classic single-precision Cephes polynomials; fused and
// separate roundings stand exactly where PyTorch's vector builds have them, or the last bits differ.
#include "native/Normals.h"

#include <math.h>

#include <cstring>

namespace tensorlib::native {

namespace {

constexpr double two_pi = 2.0 * 3.14159265358979323846;

/// log of x in (0, 1].
float block_log(float x) {
  constexpr float coefficients[] = {7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f,  -1.2420140846e-1f, 1.4249322787e-1f,
                                    -1.6668057665e-1f, 2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};
  x = fmaxf(x, 0x1p-126f);
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  float e = static_cast<float>(static_cast<int>(bits >> 23) - 126);
  bits = (bits & 0x007fffffu) | 0x3f000000u;
  float m;
  std::memcpy(&m, &bits, sizeof m);
  if (m < 0.707106781186547524f) {
    e -= 1.0f;
    m = (m - 1.0f) + m;
  } else {
    m -= 1.0f;
  }
  const float z = m * m;
  float y = coefficients[0];
  for (int i = 1; i < 9; ++i) y = fmaf(y, m, coefficients[i]);
  y *= m;
  y = fmaf(y, z, e * -2.12194440e-4f);
  y = fmaf(-z, 0.5f, y);
  m += y;
  return fmaf(e, 0.693359375f, m);
}

/// sin and cos of an angle in [0, 2 pi].
void block_sincos(float angle, float* sine, float* cosine) {
  int j = static_cast<int>(angle * 1.27323954473516f);
  j = (j + 1) & ~1;
  const float y = static_cast<float>(j);
  float x = fmaf(y, -0.78515625f, angle);
  x = fmaf(y, -2.4187564849853515625e-4f, x);
  x = fmaf(y, -3.77489497744594108e-8f, x);
  const float z = x * x;

  float c = fmaf(2.443315711809948e-5f, z, -1.388731625493765e-3f);
  c = fmaf(c, z, 4.166664568298827e-2f);
  c *= z;
  c = fmaf(c, z, -(z * 0.5f));
  c += 1.0f;
  float s = fmaf(-1.9515295891e-4f, z, 8.3321608736e-3f);
  s = fmaf(s, z, -1.6666654611e-1f);
  s *= z;
  s = fmaf(s, x, x);

  const bool swapped = j & 2;
  *sine = swapped ? c : s;
  *cosine = swapped ? s : c;
  if (j & 4) *sine = -*sine;
  if (((j - 2) & 4) == 0) *cosine = -*cosine;
}

/// 16 uniforms become 16 normals: place j with place j + 8.
void normals_from_uniforms(float* data, float mean, float std) {
  for (int j = 0; j < 8; ++j) {
    const float radius = sqrtf(-2.0f * block_log(1.0f - data[j]));
    float sine, cosine;
    block_sincos(static_cast<float>(two_pi) * data[j + 8], &sine, &cosine);
    data[j] = fmaf(radius * cosine, std, mean);
    data[j + 8] = fmaf(radius * sine, std, mean);
  }
}

void normals_from_uniforms(double* data, double mean, double std) {
  for (int j = 0; j < 8; ++j) {
    const double radius = sqrt(-2.0 * log(1.0 - data[j]));
    const double angle = two_pi * data[j + 8];
    data[j] = fma(radius * cos(angle), std, mean);
    data[j + 8] = fma(radius * sin(angle), std, mean);
  }
}

}  // namespace

template <typename T>
void normal_blocks(T* data, std::int64_t n, T mean, T std, CPUGenerator& generator) {
  for (std::int64_t i = 0; i < n; ++i) data[i] = standard_uniform<T>(generator);
  for (std::int64_t i = 0; i + normal_block <= n; i += normal_block) normals_from_uniforms(data + i, mean, std);
  if (n % normal_block == 0) return;
  // The last 16 places are drawn anew, over what the blocks left there.
  T* last = data + n - normal_block;
  for (std::int64_t i = 0; i < normal_block; ++i) last[i] = standard_uniform<T>(generator);
  normals_from_uniforms(last, mean, std);
}

template void normal_blocks<float>(float*, std::int64_t, float, float, CPUGenerator&);
template void normal_blocks<double>(double*, std::int64_t, double, double, CPUGenerator&);

double single_normal(CPUGenerator& generator) {
  if (auto& kept = generator.next_normal()) {
    const double value = *kept;
    kept.reset();
    return value;
  }
  const double u1 = standard_uniform<double>(generator);
  const double u2 = standard_uniform<double>(generator);
  const double radius = sqrt(-2.0 * log1p(-u2));
  generator.next_normal() = radius * sin(two_pi * u1);
  return radius * cos(two_pi * u1);
}

}  // namespace tensorlib::native
