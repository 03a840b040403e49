// The kernels of comparisons and logical operators: any type in, bool out. Compiled once per CPU capability.
#include "core/Dispatch.h"
#include "native/BinaryOps.h"
#include "native/cpu/Loops.h"

namespace tensorlib::native {
inline namespace CPU_CAPABILITY {

// clang-format off
#define COMPARE_KERNEL(NAME, EXPRESSION)                                      \
  static void NAME##_kernel(TensorIteratorBase& iter) {                       \
    TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(iter.common_dtype(), #NAME, {       \
      cpu_kernel(iter, [](scalar_t a, scalar_t b) -> bool { return EXPRESSION; }); \
    });                                                                       \
  }

COMPARE_KERNEL(eq, a == b)
COMPARE_KERNEL(ne, a != b)
COMPARE_KERNEL(lt, a < b)
COMPARE_KERNEL(le, a <= b)
COMPARE_KERNEL(gt, a > b)
COMPARE_KERNEL(ge, a >= b)
COMPARE_KERNEL(logical_and, a != scalar_t(0) && b != scalar_t(0))
COMPARE_KERNEL(logical_or, a != scalar_t(0) || b != scalar_t(0))
COMPARE_KERNEL(logical_xor, (a != scalar_t(0)) != (b != scalar_t(0)))
#undef COMPARE_KERNEL
// clang-format on

}  // namespace CPU_CAPABILITY

REGISTER_DISPATCH(eq_stub, &CPU_CAPABILITY::eq_kernel);
REGISTER_DISPATCH(ne_stub, &CPU_CAPABILITY::ne_kernel);
REGISTER_DISPATCH(lt_stub, &CPU_CAPABILITY::lt_kernel);
REGISTER_DISPATCH(le_stub, &CPU_CAPABILITY::le_kernel);
REGISTER_DISPATCH(gt_stub, &CPU_CAPABILITY::gt_kernel);
REGISTER_DISPATCH(ge_stub, &CPU_CAPABILITY::ge_kernel);
REGISTER_DISPATCH(logical_and_stub, &CPU_CAPABILITY::logical_and_kernel);
REGISTER_DISPATCH(logical_or_stub, &CPU_CAPABILITY::logical_or_kernel);
REGISTER_DISPATCH(logical_xor_stub, &CPU_CAPABILITY::logical_xor_kernel);

}  // namespace tensorlib::native
