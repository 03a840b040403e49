#include "native/Blas.h"

#include <dlfcn.h>

#include <string>

#include "core/Exception.h"

namespace tensorlib::native::blas {
namespace {

// cblas.h is not included: the library is found when running, and its header would be needed for these numbers alone.
constexpr int row_major = 101, no_transpose = 111, transpose = 112;

template <typename T>
using Gemm = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, T beta,
                      T* c, int ldc);

void* open_library() {
  for (const char* name : {TENSORLIB_OPENBLAS, "libopenblas.so.0", "libblas.so.3"}) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  raise("matrix products need OpenBLAS, and none was found (" TENSORLIB_OPENBLAS "): install the package libopenblas0-serial");
}

template <typename T>
Gemm<T> find_gemm(const char* name) {
  static void* const library = open_library();
  void* function = dlsym(library, name);
  if (!function) raise(std::string("the BLAS library that was found has no ") + name + ": install the package libopenblas0-serial");
  return reinterpret_cast<Gemm<T>>(function);
}

int to_int(std::int64_t value) {
  if (value > INT32_MAX) raise("a matrix of " + std::to_string(value) + " rows or columns is more than BLAS can multiply");
  return static_cast<int>(value);
}

template <typename T>
void call(Gemm<T> gemm, bool ta, bool tb, std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T* a, std::int64_t lda, const T* b,
          std::int64_t ldb, T beta, T* c, std::int64_t ldc) {
  gemm(row_major, ta ? transpose : no_transpose, tb ? transpose : no_transpose, to_int(m), to_int(n), to_int(k), alpha, a, to_int(lda), b,
       to_int(ldb), beta, c, to_int(ldc));
}

}  // namespace

void gemm(bool ta, bool tb, std::int64_t m, std::int64_t n, std::int64_t k, float alpha, const float* a, std::int64_t lda, const float* b,
          std::int64_t ldb, float beta, float* c, std::int64_t ldc) {
  static const Gemm<float> function = find_gemm<float>("cblas_sgemm");
  call(function, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void gemm(bool ta, bool tb, std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const double* a, std::int64_t lda,
          const double* b, std::int64_t ldb, double beta, double* c, std::int64_t ldc) {
  static const Gemm<double> function = find_gemm<double>("cblas_dgemm");
  call(function, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

}  // namespace tensorlib::native::blas
