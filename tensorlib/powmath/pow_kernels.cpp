// The entry points of pow.h. Compiled once per CPU capability, as tensorlib's kernels are; pow_kernels_fma.cpp includes it once more.
#include <type_traits>

#include "powmath/loops.h"
#include "powmath/pow.h"
#include "powmath/pow_lanes.h"

namespace tensorlib::powmath {
namespace CPU_CAPABILITY {
namespace {

/// One exponent that fits the quick way. A whole one takes |base| and gives the sign back if it is odd.
template <typename L, bool whole>
struct ScalarExponent {
  L exp;
  typename L::Bits sign;  // the sign bit if exp is odd, else none

  TENSORLIB_POW_INLINE L operator()(L base) const {
    const L size = abs(base);  // of what is no logarithm's business something slow can come: subnormal numbers in the middle
    const Power<L> power = exp2_of(log2_of(size), exp);
    if (__builtin_expect(any(power.unfit | not_ordinary(whole ? size : base)), 0)) return pow_any(base, exp);
    return whole ? from_bits(bits_of(power.value) ^ (bits_of(base) & sign)) : power.value;
  }
};

/// One ordinary base: its logarithm is known.
template <typename L>
struct ScalarBase {
  L base;
  Logarithm<L> log;

  TENSORLIB_POW_INLINE L operator()(L exp) const {
    const Power<L> power = exp2_of(log, exp);
    if constexpr (is_float<L>) {
      const auto unfit = power.unfit | unfit_exponent(exp);
      if (__builtin_expect(any(unfit), 0)) return pow_unfit(base, exp, power.value, unfit);
    } else if (__builtin_expect(any(power.unfit), 0)) {
      return pow_any(base, exp);
    }
    return power.value;
  }
};

template <typename L>
struct EachBase {
  TENSORLIB_POW_INLINE L operator()(L base, L exp) const { return pow_of(base, exp); }
};

template <typename T>
using LanesOf = std::conditional_t<sizeof(T) == 4, FloatLanes, DoubleLanes>;
template <typename T>
using OneOf = std::conditional_t<sizeof(T) == 4, OneFloat, OneDouble>;

template <typename T>
void scalar_exponent(const T* base, std::ptrdiff_t base_stride, T exp, T* out, std::ptrdiff_t out_stride, std::size_t n) {
  using L = LanesOf<T>;
  using Bits = typename L::Bits;
  const Parity parity = parity_of(exp);
  const Bits none = bits_of(L(T(0))), sign = parity == Parity::kOdd ? bits_of(L(T(-0.0))) : none;
  if (sizeof(T) == 4 && !(__builtin_fabs(exp) < kFloatExponentEnd)) {
    map<L>(base, base_stride, out, out_stride, n, [exp](L b) { return pow_unfit(b, L(exp), b, (b == b) | ~(b == b)); });
  } else if (parity != Parity::kNotInteger) {
    map<L>(base, base_stride, out, out_stride, n, ScalarExponent<L, true>{L(exp), sign});
  } else {
    map<L>(base, base_stride, out, out_stride, n, ScalarExponent<L, false>{L(exp), none});
  }
}

template <typename T>
void scalar_base(T base, const T* exp, std::ptrdiff_t exp_stride, T* out, std::ptrdiff_t out_stride, std::size_t n) {
  using L = LanesOf<T>;
  if (any(not_ordinary(OneOf<T>(base)))) {
    map<L>(exp, exp_stride, out, out_stride, n, [base](L e) { return pow_any(L(base), e); });
    return;
  }
  const auto log = log2_of(OneOf<T>(base));
  map<L>(exp, exp_stride, out, out_stride, n, ScalarBase<L>{L(base), {L(log.high.values), L(log.low.values)}});
}

template <typename T>
void tensor(const T* base, std::ptrdiff_t base_stride, const T* exp, std::ptrdiff_t exp_stride, T* out, std::ptrdiff_t out_stride,
            std::size_t n) {
  using L = LanesOf<T>;
  if (n == 0) return;
  if (exp_stride == 0) return scalar_exponent(base, base_stride, *exp, out, out_stride, n);
  if (base_stride == 0) return scalar_base(*base, exp, exp_stride, out, out_stride, n);
  map<L>(base, base_stride, exp, exp_stride, out, out_stride, n, EachBase<L>{});
}

}  // namespace

// The check reads libgcc's record of the CPU.
#if defined(CPU_CAPABILITY_DEFAULT)
#define TENSORLIB_POW_WITH_FMA(call) \
  if (__builtin_cpu_supports("fma")) return DEFAULT_FMA::call;
#else
#define TENSORLIB_POW_WITH_FMA(call)
#endif

#define TENSORLIB_DEFINE_POW(scalar_t)                                                                                               \
  scalar_t pow(scalar_t base, scalar_t exp) {                                                                                        \
    TENSORLIB_POW_WITH_FMA(pow(base, exp))                                                                                           \
    return pow_of(OneOf<scalar_t>(base), OneOf<scalar_t>(exp)).values;                                                               \
  }                                                                                                                                  \
  void pow_scalar_exponent(const scalar_t* base, std::ptrdiff_t base_stride, scalar_t exp, scalar_t* out, std::ptrdiff_t out_stride, \
                           std::size_t n) {                                                                                          \
    TENSORLIB_POW_WITH_FMA(pow_scalar_exponent(base, base_stride, exp, out, out_stride, n))                                          \
    scalar_exponent(base, base_stride, exp, out, out_stride, n);                                                                     \
  }                                                                                                                                  \
  void pow_scalar_base(scalar_t base, const scalar_t* exp, std::ptrdiff_t exp_stride, scalar_t* out, std::ptrdiff_t out_stride,      \
                       std::size_t n) {                                                                                              \
    TENSORLIB_POW_WITH_FMA(pow_scalar_base(base, exp, exp_stride, out, out_stride, n))                                               \
    scalar_base(base, exp, exp_stride, out, out_stride, n);                                                                          \
  }                                                                                                                                  \
  void pow_tensor(const scalar_t* base, std::ptrdiff_t base_stride, const scalar_t* exp, std::ptrdiff_t exp_stride, scalar_t* out,   \
                  std::ptrdiff_t out_stride, std::size_t n) {                                                                        \
    TENSORLIB_POW_WITH_FMA(pow_tensor(base, base_stride, exp, exp_stride, out, out_stride, n))                                       \
    tensor(base, base_stride, exp, exp_stride, out, out_stride, n);                                                                  \
  }

TENSORLIB_DEFINE_POW(float)
TENSORLIB_DEFINE_POW(double)

#undef TENSORLIB_DEFINE_POW
#undef TENSORLIB_POW_WITH_FMA

}  // namespace CPU_CAPABILITY
}  // namespace tensorlib::powmath
