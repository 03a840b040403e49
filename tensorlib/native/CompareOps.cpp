// Comparisons of two tensors, or of a tensor and a number.
#include "native/BinaryOps.h"
#include "ops/NativeFunctions.h"

namespace tensorlib::native {

#define COMPARE_OP(NAME)                                                                                         \
  DEFINE_DISPATCH(NAME##_stub);                                                                                  \
  void structured_##NAME##_Tensor::meta(const Tensor& self, const Tensor& other) {                               \
    build_borrowing_comparison_op(maybe_get_output(0), self, other);                                             \
  }                                                                                                              \
  void structured_##NAME##_Tensor_out::impl(const Tensor&, const Tensor&, const Tensor&) { NAME##_stub(*this); } \
  void structured_##NAME##_Scalar::meta(const Tensor& self, const Scalar& other) {                               \
    build_comparison_op(maybe_get_output(0), self, wrapped_scalar_tensor(other));                                \
  }                                                                                                              \
  void structured_##NAME##_Scalar_out::impl(const Tensor&, const Scalar&, const Tensor&) { NAME##_stub(*this); }

COMPARE_OP(eq)
COMPARE_OP(ne)
COMPARE_OP(lt)
COMPARE_OP(le)
COMPARE_OP(gt)
COMPARE_OP(ge)
#undef COMPARE_OP

}  // namespace tensorlib::native
