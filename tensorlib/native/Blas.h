// Matrix products through OpenBLAS.
#pragma once

#include <cstdint>

namespace tensorlib::native::blas {

/// Row-major: C (m x n, rows ldc apart) = alpha * op(A) * op(B) + beta * C, op(A) m x k, op(B) k x n. Serial. The library is loaded at the
/// first call, from its serial flavour's own file, so that a threaded one that somebody else loaded is not what runs. Raises Error if there
/// is none.
void gemm(bool transpose_a, bool transpose_b, std::int64_t m, std::int64_t n, std::int64_t k, float alpha, const float* a, std::int64_t lda,
          const float* b, std::int64_t ldb, float beta, float* c, std::int64_t ldc);
void gemm(bool transpose_a, bool transpose_b, std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const double* a,
          std::int64_t lda, const double* b, std::int64_t ldb, double beta, double* c, std::int64_t ldc);

}  // namespace tensorlib::native::blas
