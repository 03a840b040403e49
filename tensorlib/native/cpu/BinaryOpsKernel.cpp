// The kernels of add, sub and mul. Compiled once per CPU capability.
#include "native/BinaryOps.h"
#include "native/cpu/Loops.h"

namespace tensorlib::native {
inline namespace CPU_CAPABILITY {

namespace {
inline float fused_multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused_multiply_add(double a, double b, double c) { return __builtin_fma(a, b, c); }
}  // namespace

// The scalar lambdas below have their statement on a line of its own, for breakpoints.
// clang-format off

// fma at every capability: PyTorch's vector builds fuse here, and results must not depend on the capability.
template <typename scalar_t>
static void add_scaled_kernel(TensorIteratorBase& iter, scalar_t alpha) {
  using Vec = Vectorized<scalar_t>;
  cpu_kernel_vec(iter,
      [alpha](scalar_t a, scalar_t b) -> scalar_t {
        return fused_multiply_add(alpha, b, a);
      },
      [alpha](Vec a, Vec b) -> Vec { return fmadd(Vec(alpha), b, a); }
  );
}

static void add_kernel(TensorIteratorBase& iter, const Scalar& alpha_scalar) {
  const double alpha = alpha_scalar.roundedTo(iter.common_dtype());
  TENSORLIB_DISPATCH_FLOATING_TYPES(iter.common_dtype(), "add", {
    using Vec = Vectorized<scalar_t>;
    if (alpha == 1.0) {
      cpu_kernel_vec(iter,
          [](scalar_t a, scalar_t b) -> scalar_t {
            return a + b;
          },
          [](Vec a, Vec b) -> Vec { return a + b; }
      );
    } else if (alpha == -1.0) {
      cpu_kernel_vec(iter,
          [](scalar_t a, scalar_t b) -> scalar_t {
            return a - b;
          },
          [](Vec a, Vec b) -> Vec { return a - b; }
      );
    } else {
      add_scaled_kernel<scalar_t>(iter, static_cast<scalar_t>(alpha));
    }
  });
}

static void mul_kernel(TensorIteratorBase& iter) {
  TENSORLIB_DISPATCH_FLOATING_TYPES(iter.common_dtype(), "mul", {
    using Vec = Vectorized<scalar_t>;
    cpu_kernel_vec(iter,
        [](scalar_t a, scalar_t b) -> scalar_t {
          return a * b;
        },
        [](Vec a, Vec b) -> Vec { return a * b; }
    );
  });
}

// clang-format on
}  // namespace CPU_CAPABILITY

REGISTER_DISPATCH(add_stub, &CPU_CAPABILITY::add_kernel);
REGISTER_DISPATCH(mul_stub, &CPU_CAPABILITY::mul_kernel);

}  // namespace tensorlib::native
