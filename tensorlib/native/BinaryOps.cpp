// The structured operators of add, sub and mul. Built with tail calls, as native/Pow.cpp is.
#include "native/BinaryOps.h"

#include "ops/NativeFunctions.h"

namespace tensorlib::native {

DEFINE_DISPATCH(add_stub);
DEFINE_DISPATCH(mul_stub);

void structured_add_Tensor::meta(const Tensor& self, const Tensor& other, const Scalar&) {
  build_binary_op(maybe_get_output(0), self, other);
}
void structured_add_out::impl(const Tensor&, const Tensor&, const Scalar& alpha, const Tensor&) { add_stub(*this, alpha); }

void structured_sub_Tensor::meta(const Tensor& self, const Tensor& other, const Scalar&) {
  build_binary_op(maybe_get_output(0), self, other);
}
void structured_sub_out::impl(const Tensor&, const Tensor&, const Scalar& alpha, const Tensor&) { add_stub(*this, -alpha); }

void structured_mul_Tensor::meta(const Tensor& self, const Tensor& other) { build_binary_op(maybe_get_output(0), self, other); }
void structured_mul_out::impl(const Tensor&, const Tensor&, const Tensor&) { mul_stub(*this); }

}  // namespace tensorlib::native
