// The structured operators of pow. This source is built with tail calls, as PyTorch's is: impl() leaves by a jump into the kernel,
// and no frame of it is on the stack while the kernel runs.
#include "native/Pow.h"

#include "core/Dispatch.h"
#include "core/Exception.h"
#include "core/Export.h"
#include "native/TensorConversions.h"
#include "native/TypeProperties.h"
#include "ops/NativeFunctions.h"

namespace tensorlib::native {

DEFINE_DISPATCH(pow_tensor_scalar_stub);
DEFINE_DISPATCH(pow_tensor_tensor_stub);

namespace {

void check_computable(ScalarType dtype) {
  if (dtype == ScalarType::Bool) report_unsupported_type("pow", dtype);
}

/// A function of its own: impl() below has nothing to clean up when it leaves by a jump.
TENSORLIB_NOINLINE void copy_as(const Tensor& out, const Tensor& self, ScalarType dtype) {
  copy_(out, self.dtype() == dtype ? self : to(self, dtype));
}

bool is_negative_integer(const Scalar& scalar) { return scalar.isIntegral(true) && scalar.toLong() < 0; }

}  // namespace

void structured_pow_Tensor_Scalar::meta(const Tensor& self, const Scalar& exponent) {
  if (isIntegralType(self.dtype(), true) && is_negative_integer(exponent)) raise("Integers to negative integer powers are not allowed.");
  const ScalarType dtype = result_type(self, exponent);
  check_computable(dtype);
  if (dtype == self.dtype()) return build_borrowing_unary_op(maybe_get_output(0), self);
  build_binary_op(maybe_get_output(0), self, wrapped_scalar_tensor(exponent));
  remove_operand(2);
}

void structured_pow_Tensor_Tensor::meta(const Tensor& self, const Tensor& exponent) {
  build_borrowing_binary_op(maybe_get_output(0), self, exponent);
  check_computable(common_dtype());
}

void structured_pow_Scalar::meta(const Scalar& self, const Tensor& exponent) {
  build_binary_op(maybe_get_output(0), wrapped_scalar_tensor(self), exponent);
  check_computable(common_dtype());
}

// Which form runs is decided by the exponent as an element of the computing type holds it.
void structured_pow_Tensor_Scalar_out::impl(const Tensor& self, const Scalar& exponent, const Tensor& out) {
  const double exp = exponent.roundedTo(common_dtype_);
  if (exp == 0.0) {
    fill_(out, 1);
  } else if (exp == 1.0) {
    copy_as(out, self, common_dtype());
  } else {
    pow_tensor_scalar_stub(*this, exponent);
  }
}

void structured_pow_Tensor_Tensor_out::impl(const Tensor&, const Tensor&, const Tensor&) { pow_tensor_tensor_stub(*this); }

void structured_pow_Scalar_out::impl(const Scalar& self, const Tensor&, const Tensor& out) {
  if (self.roundedTo(common_dtype()) == 1.0) {
    fill_(out, 1);
  } else {
    pow_tensor_tensor_stub(*this);
  }
}

}  // namespace tensorlib::native
