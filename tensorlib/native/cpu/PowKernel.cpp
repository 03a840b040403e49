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
inline scalar_t* at(char* data) {
  return reinterpret_cast<scalar_t*>(data);
}

/// Modulo 2^bits, by squaring: at most 63 times. A negative exponent leaves 0 of all but 1 and -1.
template <typename scalar_t>
inline scalar_t integer_pow(scalar_t base, scalar_t exp) {
  if (exp < 0) {
    if (base == 1) return 1;
    if (base != static_cast<scalar_t>(-1)) return 0;
    return exp % 2 == 0 ? scalar_t(1) : static_cast<scalar_t>(-1);
  }
  std::uint64_t result = 1, factor = static_cast<std::uint64_t>(base);
  for (auto left = static_cast<std::uint64_t>(exp); left != 0; left >>= 1, factor *= factor) {
    if (left & 1) result *= factor;
  }
  return static_cast<scalar_t>(result);
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
          const Vec square = base * base;
          constexpr scalar_t least = smallest_safe_square<scalar_t>, most = largest_safe_square<scalar_t>;
          const auto general = (square < Vec(least * least)) | (square > Vec(most * most));
          if (general.any()) return base.map([](scalar_t lane) { return inverse_square(lane); });
          return Vec(1) / square;
        }
    );
  } else {
    const scalar_t power = static_cast<scalar_t>(static_cast<cast_scalar_t>(exp));
    cpu_kernel_rows<2>(iter,
        [power](char** data, const std::int64_t* strides, std::int64_t n) {
          powmath::CPU_CAPABILITY::pow_scalar_exponent(
              at<scalar_t>(data[1]), strides[1], power, at<scalar_t>(data[0]), strides[0], static_cast<std::size_t>(n));
        }
    );
  }
}
// clang-format on

// clang-format off
static void pow_tensor_scalar_kernel(TensorIteratorBase& iter, const Scalar& exp_scalar) {
  const ScalarType dtype = iter.common_dtype();
  if (isFloatingType(dtype)) {
    TENSORLIB_DISPATCH_FLOATING_TYPES(dtype, "pow", {
      pow_tensor_scalar_optimized_kernel<scalar_t, double, double>(iter, exp_scalar.roundedTo(dtype));
    });
  } else {
    TENSORLIB_DISPATCH_INTEGRAL_TYPES(dtype, "pow", {
      const scalar_t exp = exp_scalar.to<scalar_t>();
      cpu_kernel(iter, [exp](scalar_t base) -> scalar_t { return integer_pow(base, exp); });
    });
  }
}

/// The row where one of the operands is the same number all along.
template <typename scalar_t>
static void pow_row(char** data, const std::int64_t* strides, std::int64_t n) {
  const auto count = static_cast<std::size_t>(n);
  scalar_t* const out = at<scalar_t>(data[0]);
  const scalar_t* const base = at<scalar_t>(data[1]);
  const scalar_t* const exp = at<scalar_t>(data[2]);
  if (strides[2] == 0) {
    powmath::CPU_CAPABILITY::pow_scalar_exponent(base, strides[1], *exp, out, strides[0], count);
  } else if (strides[1] == 0) {
    powmath::CPU_CAPABILITY::pow_scalar_base(*base, exp, strides[2], out, strides[0], count);
  } else {
    powmath::CPU_CAPABILITY::pow_tensor(base, strides[1], exp, strides[2], out, strides[0], count);
  }
}

static void pow_tensor_tensor_kernel(TensorIteratorBase& iter) {
  const ScalarType dtype = iter.common_dtype();
  if (isFloatingType(dtype)) {
    TENSORLIB_DISPATCH_FLOATING_TYPES(dtype, "pow", {
      cpu_kernel_rows<3>(iter,
          [](char** data, const std::int64_t* strides, std::int64_t n) {
            pow_row<scalar_t>(data, strides, n);
          }
      );
    });
  } else {
    TENSORLIB_DISPATCH_INTEGRAL_TYPES(dtype, "pow", {
      cpu_kernel(iter, [](scalar_t base, scalar_t exp) -> scalar_t { return integer_pow(base, exp); });
    });
  }
}
// clang-format on

}  // namespace CPU_CAPABILITY

REGISTER_DISPATCH(pow_tensor_scalar_stub, &CPU_CAPABILITY::pow_tensor_scalar_kernel);
REGISTER_DISPATCH(pow_tensor_tensor_stub, &CPU_CAPABILITY::pow_tensor_tensor_kernel);

}  // namespace tensorlib::native
