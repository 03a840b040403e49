// Products of matrices and vectors.
#include <algorithm>

#include "core/Dispatch.h"
#include "core/Exception.h"
#include "core/Parallel.h"
#include "native/Blas.h"
#include "native/Resize.h"
#include "native/TensorConversions.h"
#include "native/TensorShape.h"
#include "ops/Functions.h"
#include "ops/NativeFunctions.h"

namespace tensorlib::native {
namespace {

/// A matrix as BLAS takes it: rows without gaps, or the transpose of such.
struct Matrix {
  Tensor tensor;  ///< Keeps a copy alive.
  bool transposed = false;
  std::int64_t leading = 1;
};

/// BLAS wants one stride to be 1 and the other to span the line at least.
bool spans_lines(std::int64_t outer_stride, std::int64_t outer, std::int64_t inner) {
  return outer_stride >= std::max<std::int64_t>(1, inner) || outer == 1;
}

Matrix as_matrix(const Tensor& t) {
  const std::int64_t rows = t.size(0), columns = t.size(1);
  const auto leading = [](std::int64_t stride, std::int64_t line) { return std::max({stride, line, std::int64_t{1}}); };
  if ((t.stride(1) == 1 || columns == 1) && spans_lines(t.stride(0), rows, columns))
    return {t, false, leading(rows == 1 ? 0 : t.stride(0), columns)};
  if ((t.stride(0) == 1 || rows == 1) && spans_lines(t.stride(1), columns, rows))
    return {t, true, leading(columns == 1 ? 0 : t.stride(1), rows)};
  return {contiguous(t), false, leading(0, columns)};
}

void check_types(const char* name, const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype())
    raise(std::string("expected m1 and m2 to have the same dtype, but got: ") + tensorlib::toString(a.dtype()) +
          " != " + tensorlib::toString(b.dtype()));
  if (a.dtype() == ScalarType::Bool) report_unsupported_type(name, a.dtype());
}

void check_matrices(const Tensor& a, const Tensor& b) {
  if (a.dim() != 2) raise("mat1 must be a matrix, got " + std::to_string(a.dim()) + "-D tensor");
  if (b.dim() != 2) raise("mat2 must be a matrix, got " + std::to_string(b.dim()) + "-D tensor");
  if (a.size(1) != b.size(0))
    raise("mat1 and mat2 shapes cannot be multiplied (" + std::to_string(a.size(0)) + "x" + std::to_string(a.size(1)) + " and " +
          std::to_string(b.size(0)) + "x" + std::to_string(b.size(1)) + ")");
}

/// Integers: no library does it.
template <typename scalar_t>
void multiply_integers(const Tensor& a, const Tensor& b, const Tensor& out, std::uint64_t alpha, std::uint64_t beta) {
  const auto* x = a.data_ptr<scalar_t>();
  const auto* y = b.data_ptr<scalar_t>();
  auto* z = out.data_ptr<scalar_t>();
  for (std::int64_t i = 0; i < out.size(0); ++i) {
    for (std::int64_t j = 0; j < out.size(1); ++j) {
      std::uint64_t sum = 0;
      for (std::int64_t k = 0; k < a.size(1); ++k)
        sum += static_cast<std::uint64_t>(x[i * a.stride(0) + k * a.stride(1)]) *
               static_cast<std::uint64_t>(y[k * b.stride(0) + j * b.stride(1)]);
      scalar_t& place = z[i * out.stride(0) + j * out.stride(1)];
      place = static_cast<scalar_t>(alpha * sum + (beta ? beta * static_cast<std::uint64_t>(place) : 0));
    }
  }
}

/// How many rows of a product are one call of BLAS. Shapes alone decide, so that the bits do not depend on the number of threads; each call
/// packs all of b anew: 4 to 9 % of the time with so many rows.
std::int64_t rows_at_once(std::int64_t rows, std::int64_t columns, std::int64_t inner) {
  constexpr std::int64_t least_rows = 384, least_work = std::int64_t{1} << 21, most_calls = 4, step = 64;
  const auto rounded_up = [](std::int64_t n) { return (n + step - 1) / step * step; };
  const std::int64_t work_of_row = std::max<std::int64_t>(1, columns * inner);
  return rounded_up(std::max({least_rows, rows / most_calls, least_work / work_of_row}));
}

/// The same on matrices that BLAS takes, on several threads where that pays.
template <typename scalar_t>
void multiply_rows(const Tensor& out, const Matrix& a, const Matrix& b, std::int64_t inner, scalar_t alpha, scalar_t beta) {
  const std::int64_t rows = out.size(0), columns = out.size(1), ldc = std::max<std::int64_t>(1, columns);
  const scalar_t* const left = a.tensor.data_ptr<scalar_t>();
  const scalar_t* const right = b.tensor.data_ptr<scalar_t>();
  scalar_t* const result = out.data_ptr<scalar_t>();
  parallel_for(0, rows, rows_at_once(rows, columns, inner), [&](std::int64_t begin, std::int64_t end) {
    blas::gemm(a.transposed, b.transposed, end - begin, columns, inner, alpha, left + begin * (a.transposed ? 1 : a.leading), a.leading,
               right, b.leading, beta, result + begin * ldc, ldc);
  });
}

/// out = alpha * a * b + beta * out; out is row-major.
void multiply_into(const Tensor& out, const Tensor& a, const Tensor& b, const Scalar& alpha, const Scalar& beta) {
  const ScalarType dtype = out.dtype();
  if (out.numel() == 0) return;
  if (isFloatingType(dtype)) {
    const Matrix left = as_matrix(a), right = as_matrix(b);
    TENSORLIB_DISPATCH_FLOATING_TYPES(dtype, "addmm_impl_cpu_",
                                      { multiply_rows<scalar_t>(out, left, right, a.size(1), alpha.to<scalar_t>(), beta.to<scalar_t>()); });
    return;
  }
  TENSORLIB_DISPATCH_INTEGRAL_TYPES(dtype, "addmm_impl_cpu_", {
    multiply_integers<scalar_t>(a, b, out, static_cast<std::uint64_t>(alpha.toLong()), static_cast<std::uint64_t>(beta.toLong()));
  });
}

Tensor& store(Tensor& out, const Tensor& result) {
  if (out.dtype() != result.dtype())
    raise(std::string("Expected out tensor to have dtype ") + tensorlib::toString(result.dtype()) + ", but got " +
          tensorlib::toString(out.dtype()) + " instead");
  resize_output(out, result.sizes());
  copy_(out, result);
  return out;
}

}  // namespace

Tensor mm(const Tensor& self, const Tensor& mat2) {
  if (self.dim() != 2) raise("self must be a matrix");
  if (mat2.dim() != 2) raise("mat2 must be a matrix");
  check_matrices(self, mat2);
  check_types("addmm_impl_cpu_", self, mat2);
  const Tensor result = empty(DimVector{self.size(0), mat2.size(1)}, self.dtype());
  if (self.size(1) == 0) {
    fill_(result, 0);
  } else {
    multiply_into(result, self, mat2, 1, 0);
  }
  return result;
}
Tensor& mm_out(const Tensor& self, const Tensor& mat2, Tensor& out) { return store(out, mm(self, mat2)); }

Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta, const Scalar& alpha) {
  check_matrices(mat1, mat2);
  check_types("addmm_impl_cpu_", mat1, mat2);
  if (self.dtype() != mat1.dtype())
    raise(std::string("self and mat2 must have the same dtype, but got ") + tensorlib::toString(self.dtype()) + " and " +
          tensorlib::toString(mat2.dtype()));
  const DimVector sizes{mat1.size(0), mat2.size(1)};
  const Tensor result = empty(sizes, self.dtype());
  const bool reads_self = !beta.equal(0.0) || !beta.equal(std::int64_t{0});
  if (reads_self) {
    copy_(result, expand(self, sizes));
  } else {
    fill_(result, 0);
  }
  if (mat1.size(1) == 0) {
    return reads_self ? at::mul(result, wrapped_scalar_tensor(beta)) : result;
  }
  multiply_into(result, mat1, mat2, alpha, beta);
  return result;
}
Tensor& addmm_out(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta, const Scalar& alpha, Tensor& out) {
  return store(out, addmm(self, mat1, mat2, beta, alpha));
}
Tensor& addmm_(Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta, const Scalar& alpha) {
  const Tensor result = addmm(self, mat1, mat2, beta, alpha);
  if (!std::ranges::equal(result.sizes(), self.sizes()))
    raise("output with shape " + tensorlib::toString(self.sizes()) + " doesn't match the broadcast shape " +
          tensorlib::toString(result.sizes()));
  copy_(self, result);
  return self;
}

Tensor mv(const Tensor& self, const Tensor& vec) {
  if (self.dim() != 2 || vec.dim() != 1)
    raise("vector + matrix @ vector expected, got 1, " + std::to_string(self.dim()) + ", " + std::to_string(vec.dim()));
  if (self.size(1) != vec.size(0))
    raise("size mismatch, got input (" + std::to_string(self.size(0)) + "), mat (" + std::to_string(self.size(0)) + "x" +
          std::to_string(self.size(1)) + "), vec (" + std::to_string(vec.size(0)) + ")");
  return as_strided(mm(self, unsqueeze(vec, 1)), DimVector{self.size(0)}, DimVector{1}, 0);
}

Tensor dot(const Tensor& self, const Tensor& tensor) {
  if (self.dim() != 1 || tensor.dim() != 1)
    raise("1D tensors expected, but got " + std::to_string(self.dim()) + "D and " + std::to_string(tensor.dim()) + "D tensors");
  if (self.dtype() != tensor.dtype())
    raise(std::string("dot : expected both vectors to have same dtype, but found ") + tensorlib::toString(self.dtype()) + " and " +
          tensorlib::toString(tensor.dtype()));
  if (self.size(0) != tensor.size(0))
    raise("inconsistent tensor size, expected tensor " + tensorlib::toString(self.sizes()) + " and src " +
          tensorlib::toString(tensor.sizes()) + " to have the same number of elements, but got " + std::to_string(self.size(0)) + " and " +
          std::to_string(tensor.size(0)) + " elements respectively");
  return as_strided(mm(unsqueeze(self, 0), unsqueeze(tensor, 1)), {}, {}, 0);
}

Tensor bmm(const Tensor& self, const Tensor& mat2) {
  if (self.dim() != 3 || mat2.dim() != 3) raise("batch1 and batch2 must be 3D tensors");
  if (self.size(0) != mat2.size(0) || self.size(2) != mat2.size(1))
    raise("Expected size for first two dimensions of batch2 tensor to be: [" + std::to_string(self.size(0)) + ", " +
          std::to_string(self.size(2)) + "] but got: [" + std::to_string(mat2.size(0)) + ", " + std::to_string(mat2.size(1)) + "].");
  check_types("bmm", self, mat2);
  const Tensor result = empty(DimVector{self.size(0), self.size(1), mat2.size(2)}, self.dtype());
  if (self.size(2) == 0) fill_(result, 0);
  if (result.numel() == 0 || self.size(2) == 0) return result;
  const std::int64_t work = self.size(1) * self.size(2) * mat2.size(2);
  parallel_for(0, self.size(0), std::max<std::int64_t>(1, (std::int64_t{1} << 21) / work), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) multiply_into(select(result, 0, i), select(self, 0, i), select(mat2, 0, i), 1, 0);
  });
  return result;
}

}  // namespace tensorlib::native
