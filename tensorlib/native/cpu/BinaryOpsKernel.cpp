// The kernels of arithmetic with two operands. Compiled once per CPU capability.
#include "core/Dispatch.h"
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

// Integers wrap: signed ones are computed as unsigned, where that is defined.
template <typename scalar_t>
static void add_integer_kernel(TensorIteratorBase& iter, scalar_t alpha) {
  cpu_kernel(iter, [alpha](scalar_t a, scalar_t b) -> scalar_t {
    return static_cast<scalar_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(alpha) * static_cast<std::uint64_t>(b));
  });
}

template <typename scalar_t>
static void add_floating_kernel(TensorIteratorBase& iter, scalar_t alpha) {
  using Vec = Vectorized<scalar_t>;
  if (alpha == 1) {
    cpu_kernel_vec(iter,
        [](scalar_t a, scalar_t b) -> scalar_t {
          return a + b;
        },
        [](Vec a, Vec b) -> Vec { return a + b; }
    );
  } else if (alpha == -1) {
    cpu_kernel_vec(iter,
        [](scalar_t a, scalar_t b) -> scalar_t {
          return a - b;
        },
        [](Vec a, Vec b) -> Vec { return a - b; }
    );
  } else {
    add_scaled_kernel<scalar_t>(iter, alpha);
  }
}

static void add_kernel(TensorIteratorBase& iter, const Scalar& alpha) {
  const ScalarType dtype = iter.common_dtype();
  if (dtype == ScalarType::Bool) {
    const bool scaled = alpha.to<bool>();
    cpu_kernel(iter, [scaled](bool a, bool b) -> bool { return a || (scaled && b); });
  } else if (isFloatingType(dtype)) {
    TENSORLIB_DISPATCH_FLOATING_TYPES(dtype, "add", { add_floating_kernel<scalar_t>(iter, alpha.to<scalar_t>()); });
  } else {
    TENSORLIB_DISPATCH_INTEGRAL_TYPES(dtype, "add", { add_integer_kernel<scalar_t>(iter, static_cast<scalar_t>(alpha.to<std::int64_t>())); });
  }
}

static void mul_kernel(TensorIteratorBase& iter) {
  const ScalarType dtype = iter.common_dtype();
  if (dtype == ScalarType::Bool) {
    cpu_kernel(iter, [](bool a, bool b) -> bool { return a && b; });
  } else if (!isFloatingType(dtype)) {
    TENSORLIB_DISPATCH_INTEGRAL_TYPES(dtype, "mul", {
      cpu_kernel(iter, [](scalar_t a, scalar_t b) -> scalar_t {
        return static_cast<scalar_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
      });
    });
  } else {
    TENSORLIB_DISPATCH_FLOATING_TYPES(dtype, "mul", {
      using Vec = Vectorized<scalar_t>;
      cpu_kernel_vec(iter,
          [](scalar_t a, scalar_t b) -> scalar_t {
            return a * b;
          },
          [](Vec a, Vec b) -> Vec { return a * b; }
      );
    });
  }
}

// nan in, nan out.
template <typename scalar_t>
static void extremum_kernel(TensorIteratorBase& iter, bool larger) {
  if (larger) {
    cpu_kernel(iter, [](scalar_t a, scalar_t b) -> scalar_t { return a != a ? a : (b != b || a < b) ? b : a; });
  } else {
    cpu_kernel(iter, [](scalar_t a, scalar_t b) -> scalar_t { return a != a ? a : (b != b || b < a) ? b : a; });
  }
}
static void maximum_kernel(TensorIteratorBase& iter) {
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(iter.common_dtype(), "maximum", { extremum_kernel<scalar_t>(iter, true); });
}
static void minimum_kernel(TensorIteratorBase& iter) {
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(iter.common_dtype(), "minimum", { extremum_kernel<scalar_t>(iter, false); });
}

#define BITWISE_KERNEL(NAME, OPERATOR)                                                                             \
  static void NAME##_kernel(TensorIteratorBase& iter) {                                                            \
    TENSORLIB_DISPATCH_INTEGRAL_TYPES_AND_BOOL(iter.common_dtype(), #NAME "_cpu", {                                \
      cpu_kernel(iter, [](scalar_t a, scalar_t b) -> scalar_t { return static_cast<scalar_t>(a OPERATOR b); });    \
    });                                                                                                            \
  }
BITWISE_KERNEL(bitwise_and, &)
BITWISE_KERNEL(bitwise_or, |)
BITWISE_KERNEL(bitwise_xor, ^)
#undef BITWISE_KERNEL

template <typename scalar_t>
static void threshold_backward_loop(TensorIteratorBase& iter, scalar_t threshold) {
  const auto passed = [threshold](scalar_t grad, scalar_t x) -> scalar_t { return x <= threshold ? scalar_t(0) : grad; };
  if constexpr (std::is_floating_point_v<scalar_t>) {
    using Vec = Vectorized<scalar_t>;
    const Vec bound(threshold), zero(0);
    cpu_kernel_vec(iter, passed, [=](Vec grad, Vec x) -> Vec { return Vec::blendv(grad, zero, (x < bound) | (x == bound)); });
  } else {
    cpu_kernel(iter, passed);
  }
}

static void threshold_backward_kernel(TensorIteratorBase& iter, const Scalar& threshold) {
  TENSORLIB_DISPATCH_ALL_TYPES(iter.common_dtype(), "threshold_backward",
                               { threshold_backward_loop<scalar_t>(iter, threshold.to<scalar_t>()); });
}

static void tanh_backward_kernel(TensorIteratorBase& iter) {
  TENSORLIB_DISPATCH_FLOATING_TYPES(iter.common_dtype(), "tanh_backward", {
    using Vec = Vectorized<scalar_t>;
    cpu_kernel_vec(iter,
        [](scalar_t grad, scalar_t y) -> scalar_t { return grad * (1 - y * y); },
        [](Vec grad, Vec y) -> Vec { return grad * (Vec(1) - y * y); }
    );
  });
}

static void sigmoid_backward_kernel(TensorIteratorBase& iter) {
  TENSORLIB_DISPATCH_FLOATING_TYPES(iter.common_dtype(), "sigmoid_backward", {
    using Vec = Vectorized<scalar_t>;
    cpu_kernel_vec(iter,
        [](scalar_t grad, scalar_t y) -> scalar_t { return grad * (1 - y) * y; },
        [](Vec grad, Vec y) -> Vec { return grad * (Vec(1) - y) * y; }
    );
  });
}

static void mse_kernel(TensorIteratorBase& iter) {
  TENSORLIB_DISPATCH_FLOATING_TYPES(iter.common_dtype(), "mse", {
    using Vec = Vectorized<scalar_t>;
    cpu_kernel_vec(iter,
        [](scalar_t a, scalar_t b) -> scalar_t { return (a - b) * (a - b); },
        [](Vec a, Vec b) -> Vec { return (a - b) * (a - b); }
    );
  });
}

static void mse_backward_kernel(TensorIteratorBase& iter, double norm_double) {
  TENSORLIB_DISPATCH_FLOATING_TYPES(iter.common_dtype(), "mse_backward", {
    using Vec = Vectorized<scalar_t>;
    const scalar_t norm = static_cast<scalar_t>(norm_double);
    cpu_kernel_vec(iter,
        [norm](scalar_t a, scalar_t b, scalar_t grad) -> scalar_t { return norm * (a - b) * grad; },
        [norm](Vec a, Vec b, Vec grad) -> Vec { return Vec(norm) * (a - b) * grad; }
    );
  });
}

// clang-format on
}  // namespace CPU_CAPABILITY

REGISTER_DISPATCH(add_stub, &CPU_CAPABILITY::add_kernel);
REGISTER_DISPATCH(mul_stub, &CPU_CAPABILITY::mul_kernel);
REGISTER_DISPATCH(maximum_stub, &CPU_CAPABILITY::maximum_kernel);
REGISTER_DISPATCH(minimum_stub, &CPU_CAPABILITY::minimum_kernel);
REGISTER_DISPATCH(bitwise_and_stub, &CPU_CAPABILITY::bitwise_and_kernel);
REGISTER_DISPATCH(bitwise_or_stub, &CPU_CAPABILITY::bitwise_or_kernel);
REGISTER_DISPATCH(bitwise_xor_stub, &CPU_CAPABILITY::bitwise_xor_kernel);
REGISTER_DISPATCH(threshold_backward_stub, &CPU_CAPABILITY::threshold_backward_kernel);
REGISTER_DISPATCH(tanh_backward_stub, &CPU_CAPABILITY::tanh_backward_kernel);
REGISTER_DISPATCH(sigmoid_backward_stub, &CPU_CAPABILITY::sigmoid_backward_kernel);
REGISTER_DISPATCH(mse_stub, &CPU_CAPABILITY::mse_kernel);
REGISTER_DISPATCH(mse_backward_stub, &CPU_CAPABILITY::mse_backward_kernel);

}  // namespace tensorlib::native
