// The kernels of one operand. Compiled once per CPU capability.
//
// Functions of the C library are called element by element, those of powmath a row at a time: both give the same bits whatever this file is
// compiled for.
#include "core/Dispatch.h"
#include "native/UnaryOps.h"
#include "native/cpu/Loops.h"
#include "powmath/elementary.h"

namespace tensorlib::native {
inline namespace CPU_CAPABILITY {
namespace {

#define LIBRARY_FUNCTION(NAME)                                                  \
  inline float call_##NAME(float x) { return __builtin_##NAME##f(x); }          \
  inline double call_##NAME(double x) { return __builtin_##NAME(x); }
LIBRARY_FUNCTION(exp2)
LIBRARY_FUNCTION(expm1)
LIBRARY_FUNCTION(log2)
LIBRARY_FUNCTION(log10)
LIBRARY_FUNCTION(log1p)
LIBRARY_FUNCTION(sin)
LIBRARY_FUNCTION(cos)
LIBRARY_FUNCTION(floor)
LIBRARY_FUNCTION(ceil)
LIBRARY_FUNCTION(trunc)
LIBRARY_FUNCTION(sqrt)
#undef LIBRARY_FUNCTION
inline float call_round(float x) { return __builtin_rintf(x); }  // halves to even
inline double call_round(double x) { return __builtin_rint(x); }

}  // namespace

// clang-format off
#define FLOATING_KERNEL(NAME, EXPRESSION)                                                   \
  static void NAME##_kernel(TensorIteratorBase& iter) {                                     \
    TENSORLIB_DISPATCH_FLOATING_TYPES(iter.common_dtype(), #NAME "_cpu", {                  \
      cpu_kernel(iter, [](scalar_t x) -> scalar_t { return EXPRESSION; });                  \
    });                                                                                     \
  }
FLOATING_KERNEL(exp2, call_exp2(x))
FLOATING_KERNEL(expm1, call_expm1(x))
FLOATING_KERNEL(log2, call_log2(x))
FLOATING_KERNEL(log10, call_log10(x))
FLOATING_KERNEL(log1p, call_log1p(x))
FLOATING_KERNEL(sin, call_sin(x))
FLOATING_KERNEL(cos, call_cos(x))
#undef FLOATING_KERNEL

#define ROW_KERNEL(NAME)                                                                    \
  static void NAME##_kernel(TensorIteratorBase& iter) {                                     \
    TENSORLIB_DISPATCH_FLOATING_TYPES(iter.common_dtype(), #NAME "_cpu", {                  \
      cpu_kernel_rows<2>(iter, [](char** data, const std::int64_t* strides, std::int64_t n) { \
        powmath::CPU_CAPABILITY::NAME(reinterpret_cast<const scalar_t*>(data[1]), strides[1], \
                                      reinterpret_cast<scalar_t*>(data[0]), strides[0], static_cast<std::size_t>(n)); \
      });                                                                                   \
    });                                                                                     \
  }
ROW_KERNEL(exp)
ROW_KERNEL(log)
ROW_KERNEL(tanh)
ROW_KERNEL(sigmoid)
#undef ROW_KERNEL

#define VECTOR_KERNEL(NAME, SCALAR, VECTOR)                                                 \
  static void NAME##_kernel(TensorIteratorBase& iter) {                                     \
    TENSORLIB_DISPATCH_FLOATING_TYPES(iter.common_dtype(), #NAME "_cpu", {                  \
      using Vec = Vectorized<scalar_t>;                                                     \
      cpu_kernel_vec(iter,                                                                  \
          [](scalar_t x) -> scalar_t { return SCALAR; },                                    \
          [](Vec x) -> Vec { return VECTOR; });                                             \
    });                                                                                     \
  }
VECTOR_KERNEL(sqrt, call_sqrt(x), x.sqrt())
VECTOR_KERNEL(rsqrt, scalar_t(1) / call_sqrt(x), Vec(1) / x.sqrt())
VECTOR_KERNEL(reciprocal, scalar_t(1) / x, Vec(1) / x)
#undef VECTOR_KERNEL

// Integers are whole already.
#define ROUNDING_KERNEL(NAME)                                                               \
  static void NAME##_kernel(TensorIteratorBase& iter) {                                     \
    if (isFloatingType(iter.common_dtype())) {                                              \
      TENSORLIB_DISPATCH_FLOATING_TYPES(iter.common_dtype(), #NAME "_cpu", {                \
        cpu_kernel(iter, [](scalar_t x) -> scalar_t { return call_##NAME(x); });            \
      });                                                                                   \
    } else {                                                                                \
      TENSORLIB_DISPATCH_INTEGRAL_TYPES(iter.common_dtype(), #NAME "_cpu", {                \
        cpu_kernel(iter, [](scalar_t x) -> scalar_t { return x; });                         \
      });                                                                                   \
    }                                                                                       \
  }
ROUNDING_KERNEL(floor)
ROUNDING_KERNEL(ceil)
ROUNDING_KERNEL(round)
ROUNDING_KERNEL(trunc)
#undef ROUNDING_KERNEL

// FLOATS and VECTOR for floating types, INTEGERS computed modulo 2^bits.
#define NUMBER_KERNEL(NAME, FLOATS, VECTOR, INTEGERS)                                       \
  static void NAME##_kernel(TensorIteratorBase& iter) {                                     \
    if (isFloatingType(iter.common_dtype())) {                                              \
      TENSORLIB_DISPATCH_FLOATING_TYPES(iter.common_dtype(), #NAME "_cpu", {                \
        using Vec = Vectorized<scalar_t>;                                                   \
        cpu_kernel_vec(iter,                                                                \
            [](scalar_t x) -> scalar_t { return FLOATS; },                                  \
            [](Vec x) -> Vec { return VECTOR; });                                           \
      });                                                                                   \
    } else {                                                                                \
      TENSORLIB_DISPATCH_INTEGRAL_TYPES(iter.common_dtype(), #NAME "_cpu", {                \
        cpu_kernel(iter, [](scalar_t x) -> scalar_t { return static_cast<scalar_t>(INTEGERS); }); \
      });                                                                                   \
    }                                                                                       \
  }
NUMBER_KERNEL(neg, -x, x * Vec(-1), 0 - static_cast<std::uint64_t>(x))
NUMBER_KERNEL(abs, x < 0 ? -x : x + scalar_t(0), x.abs(), x < 0 ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x))
NUMBER_KERNEL(relu, x < 0 ? scalar_t(0) : x, Vec::blendv(x, Vec(0), x < Vec(0)), x < 0 ? scalar_t(0) : x)
#undef NUMBER_KERNEL

static void sign_kernel(TensorIteratorBase& iter) {
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(iter.common_dtype(), "sign_cpu", {
    cpu_kernel(iter, [](scalar_t x) -> scalar_t { return static_cast<scalar_t>((scalar_t(0) < x) - (x < scalar_t(0))); });
  });
}

static void bitwise_not_kernel(TensorIteratorBase& iter) {
  if (iter.common_dtype() == ScalarType::Bool) {
    cpu_kernel(iter, [](bool x) -> bool { return !x; });
  } else {
    TENSORLIB_DISPATCH_INTEGRAL_TYPES(iter.common_dtype(), "bitwise_not_cpu", {
      cpu_kernel(iter, [](scalar_t x) -> scalar_t { return static_cast<scalar_t>(~x); });
    });
  }
}

#define CLASS_KERNEL(NAME, EXPRESSION)                                                      \
  static void NAME##_kernel(TensorIteratorBase& iter) {                                     \
    TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(iter.dtype(1), #NAME, {                           \
      cpu_kernel(iter, [](scalar_t x) -> bool { return EXPRESSION; });                      \
    });                                                                                     \
  }
CLASS_KERNEL(logical_not, x == scalar_t(0))
CLASS_KERNEL(isnan, x != x)
CLASS_KERNEL(isinf, __builtin_isinf(static_cast<double>(x)) != 0)
CLASS_KERNEL(isfinite, __builtin_isfinite(static_cast<double>(x)))
#undef CLASS_KERNEL

// Comparisons with nan are false, so a nan passes. Of two limits one that is nan makes everything nan, a single one nothing, as in PyTorch.
static void clamp_kernel(TensorIteratorBase& iter, const Scalar& min, const Scalar& max) {
  TENSORLIB_DISPATCH_ALL_TYPES(iter.common_dtype(), "clamp_cpu", {
    const scalar_t low = min.to<scalar_t>(), high = max.to<scalar_t>();
    cpu_kernel(iter, [low, high](scalar_t x) -> scalar_t {
      const scalar_t raised = x < low || low != low ? low : x;
      return raised > high || high != high ? high : raised;
    });
  });
}
static void clamp_min_kernel(TensorIteratorBase& iter, const Scalar& min, const Scalar&) {
  TENSORLIB_DISPATCH_ALL_TYPES(iter.common_dtype(), "clamp_min_cpu", {
    const scalar_t low = min.to<scalar_t>();
    cpu_kernel(iter, [low](scalar_t x) -> scalar_t { return x < low ? low : x; });
  });
}
static void clamp_max_kernel(TensorIteratorBase& iter, const Scalar&, const Scalar& max) {
  TENSORLIB_DISPATCH_ALL_TYPES(iter.common_dtype(), "clamp_max_cpu", {
    const scalar_t high = max.to<scalar_t>();
    cpu_kernel(iter, [high](scalar_t x) -> scalar_t { return x > high ? high : x; });
  });
}
// clang-format on

}  // namespace CPU_CAPABILITY

#define REGISTER_UNARY(NAME) REGISTER_DISPATCH(NAME##_stub, &CPU_CAPABILITY::NAME##_kernel)
REGISTER_UNARY(neg);
REGISTER_UNARY(abs);
REGISTER_UNARY(sign);
REGISTER_UNARY(sqrt);
REGISTER_UNARY(rsqrt);
REGISTER_UNARY(reciprocal);
REGISTER_UNARY(floor);
REGISTER_UNARY(ceil);
REGISTER_UNARY(round);
REGISTER_UNARY(trunc);
REGISTER_UNARY(exp);
REGISTER_UNARY(exp2);
REGISTER_UNARY(expm1);
REGISTER_UNARY(log);
REGISTER_UNARY(log2);
REGISTER_UNARY(log10);
REGISTER_UNARY(log1p);
REGISTER_UNARY(sin);
REGISTER_UNARY(cos);
REGISTER_UNARY(tanh);
REGISTER_UNARY(sigmoid);
REGISTER_UNARY(relu);
REGISTER_UNARY(bitwise_not);
REGISTER_UNARY(logical_not);
REGISTER_UNARY(isnan);
REGISTER_UNARY(isinf);
REGISTER_UNARY(isfinite);
REGISTER_UNARY(clamp);
REGISTER_UNARY(clamp_min);
REGISTER_UNARY(clamp_max);

}  // namespace tensorlib::native
