// The structured operators of two tensors. Built with tail calls, as native/Pow.cpp is.
#include "native/BinaryOps.h"

#include "core/Dispatch.h"
#include "core/Exception.h"
#include "ops/Functions.h"
#include "ops/NativeFunctions.h"

namespace tensorlib::native {

DEFINE_DISPATCH(add_stub);
DEFINE_DISPATCH(mul_stub);
DEFINE_DISPATCH(div_true_stub);
DEFINE_DISPATCH(div_floor_stub);
DEFINE_DISPATCH(div_trunc_stub);
DEFINE_DISPATCH(remainder_stub);
DEFINE_DISPATCH(fmod_stub);
DEFINE_DISPATCH(maximum_stub);
DEFINE_DISPATCH(minimum_stub);
DEFINE_DISPATCH(bitwise_and_stub);
DEFINE_DISPATCH(bitwise_or_stub);
DEFINE_DISPATCH(bitwise_xor_stub);
DEFINE_DISPATCH(logical_and_stub);
DEFINE_DISPATCH(logical_or_stub);
DEFINE_DISPATCH(logical_xor_stub);
DEFINE_DISPATCH(threshold_backward_stub);
DEFINE_DISPATCH(tanh_backward_stub);
DEFINE_DISPATCH(sigmoid_backward_stub);

namespace {

// alpha takes part in no promotion: it must fit what is computed.
void check_alpha(const TensorIteratorBase& iter, const Scalar& alpha) {
  const ScalarType type = iter.common_dtype();
  if (alpha.isBoolean() && type != ScalarType::Bool) raise("Boolean alpha only supported for Boolean results.");
  if (alpha.isFloatingPoint() && !isFloatingType(type))
    raise("For integral input tensors, argument alpha must not be a floating point number.");
}

void check_subtraction(const Tensor& self, const Tensor& other) {
  if (self.dtype() == ScalarType::Bool && other.dtype() == ScalarType::Bool)
    raise("Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.");
  if (self.dtype() == ScalarType::Bool || other.dtype() == ScalarType::Bool)
    raise(
        "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
        "`logical_not()` operator instead.");
}

void check_no_floats(const TensorIteratorBase& iter, const char* name) {
  if (isFloatingType(iter.common_dtype())) report_unsupported_type(name, iter.common_dtype());
}

}  // namespace

void structured_add_Tensor::meta(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  build_borrowing_binary_op(maybe_get_output(0), self, other);
  check_alpha(*this, alpha);
}
void structured_add_out::impl(const Tensor&, const Tensor&, const Scalar& alpha, const Tensor&) { add_stub(*this, alpha); }

void structured_sub_Tensor::meta(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  check_subtraction(self, other);
  build_borrowing_binary_op(maybe_get_output(0), self, other);
  check_alpha(*this, alpha);
}
void structured_sub_out::impl(const Tensor&, const Tensor&, const Scalar& alpha, const Tensor&) { add_stub(*this, -alpha); }

Tensor rsub(const Tensor& self, const Tensor& other, const Scalar& alpha) { return at::sub(other, self, alpha); }

void structured_div_Tensor_mode::meta(const Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode) {
  if (!rounding_mode) {
    build_borrowing_binary_float_op(maybe_get_output(0), self, other);
  } else if (*rounding_mode == "trunc" || *rounding_mode == "floor") {
    build_borrowing_binary_op(maybe_get_output(0), self, other);
  } else {
    raise("div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '" + std::string(*rounding_mode) + "'");
  }
}
void structured_div_out_mode::impl(const Tensor&, const Tensor&, std::optional<std::string_view> rounding_mode, const Tensor&) {
  if (!rounding_mode) return div_true_stub(*this);
  if (*rounding_mode == "trunc") return div_trunc_stub(*this);
  div_floor_stub(*this);
}

void raise_division_by_zero() { raise("ZeroDivisionError"); }

Tensor true_divide(const Tensor& self, const Tensor& other) { return at::div(self, other); }

Tensor remainder(const Tensor& self, const Scalar& other) { return at::remainder(self, wrapped_scalar_tensor(other)); }
Tensor& remainder_(Tensor& self, const Scalar& other) { return at::remainder_(self, wrapped_scalar_tensor(other)); }
Tensor remainder(const Scalar& self, const Tensor& other) { return at::remainder(wrapped_scalar_tensor(self), other); }
Tensor fmod(const Tensor& self, const Scalar& other) { return at::fmod(self, wrapped_scalar_tensor(other)); }
Tensor& fmod_(Tensor& self, const Scalar& other) { return at::fmod_(self, wrapped_scalar_tensor(other)); }

Tensor floor_divide(const Tensor& self, const Tensor& other) {
  TensorIterator iter = TensorIterator::binary_op(Tensor(), self, other);
  div_floor_stub(iter);
  return iter.output();
}
Tensor& floor_divide_out(const Tensor& self, const Tensor& other, Tensor& out) {
  TensorIterator iter = TensorIterator::binary_op(out, self, other);
  div_floor_stub(iter);
  return out;
}
Tensor& floor_divide_(Tensor& self, const Tensor& other) { return floor_divide_out(self, other, self); }

// META and KERNEL of an operator whose classes differ by name alone.
#define BINARY_OP(META, KERNEL, BUILD, STUB)                                                                         \
  void structured_##META::meta(const Tensor& self, const Tensor& other) { BUILD(maybe_get_output(0), self, other); } \
  void structured_##KERNEL::impl(const Tensor&, const Tensor&, const Tensor&) { STUB(*this); }

BINARY_OP(mul_Tensor, mul_out, build_borrowing_binary_op, mul_stub)
BINARY_OP(div_Tensor, div_out, build_borrowing_binary_float_op, div_true_stub)
BINARY_OP(remainder_Tensor, remainder_out, build_borrowing_binary_op, remainder_stub)
BINARY_OP(fmod_Tensor, fmod_out, build_borrowing_binary_op, fmod_stub)
BINARY_OP(maximum, maximum_out, build_borrowing_binary_op, maximum_stub)
BINARY_OP(minimum, minimum_out, build_borrowing_binary_op, minimum_stub)
BINARY_OP(logical_and, logical_and_out, build_borrowing_comparison_op, logical_and_stub)
BINARY_OP(logical_or, logical_or_out, build_borrowing_comparison_op, logical_or_stub)
BINARY_OP(logical_xor, logical_xor_out, build_borrowing_comparison_op, logical_xor_stub)
#undef BINARY_OP

#define BITWISE_OP(NAME)                                                           \
  void structured_##NAME##_Tensor::meta(const Tensor& self, const Tensor& other) { \
    build_borrowing_binary_op(maybe_get_output(0), self, other);                   \
    check_no_floats(*this, #NAME "_cpu");                                          \
  }                                                                                \
  void structured_##NAME##_out::impl(const Tensor&, const Tensor&, const Tensor&) { NAME##_stub(*this); }

BITWISE_OP(bitwise_and)
BITWISE_OP(bitwise_or)
BITWISE_OP(bitwise_xor)
#undef BITWISE_OP

// Gradients of operators that are a formula of their own.

void structured_threshold_backward::meta(const Tensor& grad_output, const Tensor& self, const Scalar&) {
  build_borrowing_binary_op(maybe_get_output(0), grad_output, self);
}
void structured_threshold_backward_out::impl(const Tensor&, const Tensor&, const Scalar& threshold, const Tensor&) {
  threshold_backward_stub(*this, threshold);
}
void structured_tanh_backward::meta(const Tensor& grad_output, const Tensor& output) {
  build_borrowing_binary_op(maybe_get_output(0), grad_output, output);
}
void structured_tanh_backward_out::impl(const Tensor&, const Tensor&, const Tensor&) { tanh_backward_stub(*this); }
void structured_sigmoid_backward::meta(const Tensor& grad_output, const Tensor& output) {
  build_borrowing_binary_op(maybe_get_output(0), grad_output, output);
}
void structured_sigmoid_backward_out::impl(const Tensor&, const Tensor&, const Tensor&) { sigmoid_backward_stub(*this); }

}  // namespace tensorlib::native
