// The kernels of division, its roundings and its remainders. Compiled once per CPU capability.
#include "core/Dispatch.h"
#include "native/BinaryOps.h"
#include "native/cpu/Loops.h"

namespace tensorlib::native {
inline namespace CPU_CAPABILITY {
namespace {

inline float round_down(float x) { return __builtin_floorf(x); }
inline double round_down(double x) { return __builtin_floor(x); }
inline float round_to_zero(float x) { return __builtin_truncf(x); }
inline double round_to_zero(double x) { return __builtin_trunc(x); }
inline float remainder_of(float a, float b) { return __builtin_fmodf(a, b); }
inline double remainder_of(double a, double b) { return __builtin_fmod(a, b); }
inline float with_sign(float x, float sign) { return __builtin_copysignf(x, sign); }
inline double with_sign(double x, double sign) { return __builtin_copysign(x, sign); }

/// floor(a / b) as Python's // has it: from the exact remainder, since a / b may round up to a whole number.
template <typename scalar_t>
inline scalar_t floor_quotient(scalar_t a, scalar_t b) {
  if (b == 0) return a / b;
  const scalar_t mod = remainder_of(a, b);
  scalar_t div = (a - mod) / b;
  if (mod != 0 && (b < 0) != (mod < 0)) div -= 1;
  if (div == 0) return with_sign(scalar_t(0), a / b);
  const scalar_t down = round_down(div);
  return div - down > scalar_t(0.5) ? down + 1 : down;
}

template <typename scalar_t>
inline scalar_t python_remainder(scalar_t a, scalar_t b) {
  const scalar_t mod = remainder_of(a, b);
  return mod != 0 && (b < 0) != (mod < 0) ? mod + b : mod;
}

template <typename scalar_t>
inline void check_divisor(scalar_t b) {
  if (b == 0) raise_division_by_zero();
}

/// The quotient without its fraction; the most negative number by -1 wraps, which in C++ is not defined.
template <typename scalar_t>
inline scalar_t trunc_quotient(scalar_t a, scalar_t b) {
  check_divisor(b);
  if (static_cast<scalar_t>(-1) < 0 && b == static_cast<scalar_t>(-1)) return static_cast<scalar_t>(0 - static_cast<std::uint64_t>(a));
  return static_cast<scalar_t>(a / b);
}
template <typename scalar_t>
inline scalar_t trunc_remainder(scalar_t a, scalar_t b) {
  check_divisor(b);
  if (static_cast<scalar_t>(-1) < 0 && b == static_cast<scalar_t>(-1)) return 0;
  return static_cast<scalar_t>(a % b);
}
template <typename scalar_t>
inline scalar_t floor_quotient_of_integers(scalar_t a, scalar_t b) {
  const scalar_t quotient = trunc_quotient(a, b);
  return trunc_remainder(a, b) != 0 && (a < 0) != (b < 0) ? static_cast<scalar_t>(quotient - 1) : quotient;
}
template <typename scalar_t>
inline scalar_t floor_remainder_of_integers(scalar_t a, scalar_t b) {
  const scalar_t rest = trunc_remainder(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? static_cast<scalar_t>(rest + b) : rest;
}

}  // namespace

// clang-format off
static void div_true_kernel(TensorIteratorBase& iter) {
  TENSORLIB_DISPATCH_FLOATING_TYPES(iter.common_dtype(), "div_cpu", {
    using Vec = Vectorized<scalar_t>;
    cpu_kernel_vec(iter,
        [](scalar_t a, scalar_t b) -> scalar_t {
          return a / b;
        },
        [](Vec a, Vec b) -> Vec { return a / b; }
    );
  });
}

#define ROUNDED_KERNEL(NAME, FLOATS, INTEGERS)                                                                          \
  static void NAME##_kernel(TensorIteratorBase& iter) {                                                                 \
    const ScalarType dtype = iter.common_dtype();                                                                       \
    if (isFloatingType(dtype)) {                                                                                        \
      TENSORLIB_DISPATCH_FLOATING_TYPES(dtype, #NAME "_cpu", {                                                          \
        cpu_kernel(iter, [](scalar_t a, scalar_t b) -> scalar_t { return FLOATS; });                                    \
      });                                                                                                               \
    } else {                                                                                                            \
      TENSORLIB_DISPATCH_INTEGRAL_TYPES(dtype, #NAME "_cpu", {                                                          \
        cpu_kernel(iter, [](scalar_t a, scalar_t b) -> scalar_t { return INTEGERS; });                                  \
      });                                                                                                               \
    }                                                                                                                   \
  }

ROUNDED_KERNEL(div_trunc, round_to_zero(a / b), trunc_quotient(a, b))
ROUNDED_KERNEL(div_floor, floor_quotient(a, b), floor_quotient_of_integers(a, b))
ROUNDED_KERNEL(remainder, python_remainder(a, b), floor_remainder_of_integers(a, b))
ROUNDED_KERNEL(fmod, remainder_of(a, b), trunc_remainder(a, b))
#undef ROUNDED_KERNEL
// clang-format on

}  // namespace CPU_CAPABILITY

REGISTER_DISPATCH(div_true_stub, &CPU_CAPABILITY::div_true_kernel);
REGISTER_DISPATCH(div_trunc_stub, &CPU_CAPABILITY::div_trunc_kernel);
REGISTER_DISPATCH(div_floor_stub, &CPU_CAPABILITY::div_floor_kernel);
REGISTER_DISPATCH(remainder_stub, &CPU_CAPABILITY::remainder_kernel);
REGISTER_DISPATCH(fmod_stub, &CPU_CAPABILITY::fmod_kernel);

}  // namespace tensorlib::native
