// The kernels of pow. Compiled once per CPU capability.
//
// A result depends on its element, the exponent and the type alone: the scalar and the vector form of each branch give the same bits.
// Exponents without a branch of their own go to powmath, which gives the same bits at every capability.
#include "native/Pow.h"
#include "native/cpu/Loops.h"
#include "powmath/pow.h"

namespace tensorlib::native {
inline namespace CPU_CAPABILITY {

namespace {

template <typename scalar_t>
inline scalar_t general_pow(scalar_t base, scalar_t exp) {
  return powmath::CPU_CAPABILITY::pow(base, exp);
}

template <typename scalar_t>
inline Vectorized<scalar_t> general_pow(Vectorized<scalar_t> base, scalar_t exp) {
  constexpr auto step = static_cast<std::ptrdiff_t>(sizeof(scalar_t));
  scalar_t lanes[Vectorized<scalar_t>::size()];
  base.store(lanes);
  powmath::CPU_CAPABILITY::pow_scalar_exponent(lanes, step, exp, lanes, step, Vectorized<scalar_t>::size());
  return Vectorized<scalar_t>::loadu(lanes);
}

template <typename scalar_t>
inline Vectorized<scalar_t> general_pow(Vectorized<scalar_t> base, Vectorized<scalar_t> exp) {
  constexpr auto step = static_cast<std::ptrdiff_t>(sizeof(scalar_t));
  scalar_t lanes[Vectorized<scalar_t>::size()], exponents[Vectorized<scalar_t>::size()];
  base.store(lanes);
  exp.store(exponents);
  powmath::CPU_CAPABILITY::pow_tensor(lanes, step, exponents, step, lanes, step, Vectorized<scalar_t>::size());
  return Vectorized<scalar_t>::loadu(lanes);
}

inline float square_root(float value) { return __builtin_sqrtf(value); }
inline double square_root(double value) { return __builtin_sqrt(value); }

template <typename scalar_t>
constexpr scalar_t infinity = static_cast<scalar_t>(__builtin_inf());

/// Where 1 / (base * base) neither overflows nor loses bits on the way to a result that does not.
template <typename scalar_t>
constexpr scalar_t smallest_safe_square = sizeof(scalar_t) == 4 ? static_cast<scalar_t>(0x1p-62) : static_cast<scalar_t>(0x1p-510);
template <typename scalar_t>
constexpr scalar_t largest_safe_square = sizeof(scalar_t) == 4 ? static_cast<scalar_t>(0x1p63) : static_cast<scalar_t>(0x1p511);

template <typename scalar_t>
inline scalar_t inverse_square(scalar_t base) {
  const scalar_t size = base < 0 ? -base : base;
  if (size >= smallest_safe_square<scalar_t> && size <= largest_safe_square<scalar_t>) return 1 / (base * base);
  return general_pow(base, scalar_t(-2));
}

// x + 0 turns -0 into +0, as pow wants it; the root of -inf is nan where pow says +inf.
template <typename scalar_t>
void pow_one_half_kernel(TensorIteratorBase& iter) {
  using Vec = Vectorized<scalar_t>;
  cpu_kernel_vec(
      iter, [](scalar_t base) -> scalar_t { return base == -infinity<scalar_t> ? infinity<scalar_t> : square_root(base + scalar_t(0)); },
      [](Vec base) -> Vec { return Vec::blendv((base + Vec(0)).sqrt(), Vec(infinity<scalar_t>), base == Vec(-infinity<scalar_t>)); });
}

template <typename scalar_t>
void pow_minus_one_half_kernel(TensorIteratorBase& iter) {
  using Vec = Vectorized<scalar_t>;
  cpu_kernel_vec(
      iter, [](scalar_t base) -> scalar_t { return base == -infinity<scalar_t> ? scalar_t(0) : 1 / square_root(base + scalar_t(0)); },
      [](Vec base) -> Vec { return Vec::blendv(Vec(1) / (base + Vec(0)).sqrt(), Vec(0), base == Vec(-infinity<scalar_t>)); });
}

template <typename scalar_t>
void pow_minus_one_kernel(TensorIteratorBase& iter) {
  using Vec = Vectorized<scalar_t>;
  cpu_kernel_vec(
      iter, [](scalar_t base) -> scalar_t { return 1 / base; }, [](Vec base) -> Vec { return Vec(1) / base; });
}

}  // namespace

// The scalar lambdas below have their statement on a line of its own, for breakpoints.
// clang-format off

/// `exp` holds the exponent as scalar_t has it, so that comparing it chooses the branch by what is computed with.
template <typename scalar_t, typename cast_scalar_t, typename exp_scalar_t>
void pow_tensor_scalar_optimized_kernel(TensorIteratorBase& iter, const exp_scalar_t exp) {
  using Vec = Vectorized<scalar_t>;
  if (exp == 0.5) {
    pow_one_half_kernel<scalar_t>(iter);
  } else if (exp == -0.5) {
    pow_minus_one_half_kernel<scalar_t>(iter);
  } else if (exp == -1.0) {
    pow_minus_one_kernel<scalar_t>(iter);
  } else if (exp == 2.0) {
    cpu_kernel_vec(iter,
        [](scalar_t base) -> scalar_t {
          return base * base;
        },
        [](Vec base) -> Vec { return base * base; }
    );
  } else if (exp == 3.0) {
    cpu_kernel_vec(iter,
        [](scalar_t base) -> scalar_t {
          return base * base * base;
        },
        [](Vec base) -> Vec { return base * base * base; }
    );
  } else if (exp == -2.0) {
    cpu_kernel_vec(iter,
        [](scalar_t base) -> scalar_t {
          return inverse_square(base);
        },
        [](Vec base) -> Vec {
          const Vec size = base.abs();
          const auto general = (size < Vec(smallest_safe_square<scalar_t>)) | (size > Vec(largest_safe_square<scalar_t>));
          if (general.any()) return base.map([](scalar_t lane) { return inverse_square(lane); });
          return Vec(1) / (base * base);
        }
    );
  } else {
    const scalar_t power = static_cast<scalar_t>(static_cast<cast_scalar_t>(exp));
    cpu_kernel_vec(iter,
        [power](scalar_t base) -> scalar_t {
          return general_pow(base, power);
        },
        [power](Vec base) -> Vec { return general_pow(base, power); }
    );
  }
}
// clang-format on

static void pow_tensor_scalar_kernel(TensorIteratorBase& iter, const Scalar& exp_scalar) {
  const ScalarType dtype = iter.common_dtype();
  TENSORLIB_DISPATCH_FLOATING_TYPES(dtype, "pow",
                                    { pow_tensor_scalar_optimized_kernel<scalar_t, double, double>(iter, exp_scalar.roundedTo(dtype)); });
}

// clang-format off
static void pow_tensor_tensor_kernel(TensorIteratorBase& iter) {
  TENSORLIB_DISPATCH_FLOATING_TYPES(iter.common_dtype(), "pow", {
    using Vec = Vectorized<scalar_t>;
    cpu_kernel_vec(iter,
        [](scalar_t base, scalar_t exp) -> scalar_t {
          return general_pow(base, exp);
        },
        [](Vec base, Vec exp) -> Vec { return general_pow(base, exp); }
    );
  });
}
// clang-format on

}  // namespace CPU_CAPABILITY

REGISTER_DISPATCH(pow_tensor_scalar_stub, &CPU_CAPABILITY::pow_tensor_scalar_kernel);
REGISTER_DISPATCH(pow_tensor_tensor_stub, &CPU_CAPABILITY::pow_tensor_tensor_kernel);

}  // namespace tensorlib::native
