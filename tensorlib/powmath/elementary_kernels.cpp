// The entry points of elementary.h. Compiled once per CPU capability; elementary_kernels_fma.cpp includes it once more.
#include "powmath/elementary.h"
#include "powmath/logistic_lanes.h"
#include "powmath/loops.h"

namespace tensorlib::powmath {
namespace CPU_CAPABILITY {
namespace {

struct Exp {
  template <typename L>
  TENSORLIB_POW_INLINE L operator()(L x) const {
    return exp_of(x);
  }
};
struct Log {
  template <typename L>
  TENSORLIB_POW_INLINE L operator()(L x) const {
    return log_of(x);
  }
};
struct Tanh {
  template <typename L>
  TENSORLIB_POW_INLINE L operator()(L x) const {
    return tanh_of(x);
  }
};
struct Sigmoid {
  template <typename L>
  TENSORLIB_POW_INLINE L operator()(L x) const {
    return sigmoid_of(x);
  }
};

}  // namespace

#if defined(CPU_CAPABILITY_DEFAULT)
#define TENSORLIB_WITH_FMA(call) \
  if (__builtin_cpu_supports("fma")) return DEFAULT_FMA::call;
#else
#define TENSORLIB_WITH_FMA(call)
#endif

#define TENSORLIB_DEFINE_ELEMENTARY(name, scalar_t, L, Function)                                                  \
  void name(const scalar_t* in, std::ptrdiff_t stride, scalar_t* out, std::ptrdiff_t out_stride, std::size_t n) { \
    TENSORLIB_WITH_FMA(name(in, stride, out, out_stride, n))                                                      \
    map<L>(in, stride, out, out_stride, n, Function{});                                                           \
  }

TENSORLIB_DEFINE_ELEMENTARY(exp, float, FloatLanes, Exp)
TENSORLIB_DEFINE_ELEMENTARY(exp, double, DoubleLanes, Exp)
TENSORLIB_DEFINE_ELEMENTARY(log, float, FloatLanes, Log)
TENSORLIB_DEFINE_ELEMENTARY(log, double, DoubleLanes, Log)
TENSORLIB_DEFINE_ELEMENTARY(tanh, float, FloatLanes, Tanh)
TENSORLIB_DEFINE_ELEMENTARY(tanh, double, DoubleLanes, Tanh)
TENSORLIB_DEFINE_ELEMENTARY(sigmoid, float, FloatLanes, Sigmoid)
TENSORLIB_DEFINE_ELEMENTARY(sigmoid, double, DoubleLanes, Sigmoid)

#undef TENSORLIB_DEFINE_ELEMENTARY
#undef TENSORLIB_WITH_FMA

}  // namespace CPU_CAPABILITY
}  // namespace tensorlib::powmath
