// The structured operators of one tensor. Built with tail calls, as native/Pow.cpp is.
#include "native/UnaryOps.h"

#include "core/Dispatch.h"
#include "core/Exception.h"
#include "native/TypeProperties.h"
#include "ops/Functions.h"
#include "ops/NativeFunctions.h"

namespace tensorlib::native {

#define UNARY_OP(NAME, BUILD)                                                            \
  DEFINE_DISPATCH(NAME##_stub);                                                          \
  void structured_##NAME::meta(const Tensor& self) { BUILD(maybe_get_output(0), self); } \
  void structured_##NAME##_out::impl(const Tensor&, const Tensor&) { NAME##_stub(*this); }

UNARY_OP(abs, build_borrowing_unary_op)
UNARY_OP(sign, build_borrowing_unary_op)
UNARY_OP(sqrt, build_borrowing_unary_float_op)
UNARY_OP(rsqrt, build_borrowing_unary_float_op)
UNARY_OP(reciprocal, build_borrowing_unary_float_op)
UNARY_OP(exp, build_borrowing_unary_float_op)
UNARY_OP(exp2, build_borrowing_unary_float_op)
UNARY_OP(expm1, build_borrowing_unary_float_op)
UNARY_OP(log, build_borrowing_unary_float_op)
UNARY_OP(log2, build_borrowing_unary_float_op)
UNARY_OP(log10, build_borrowing_unary_float_op)
UNARY_OP(log1p, build_borrowing_unary_float_op)
UNARY_OP(sin, build_borrowing_unary_float_op)
UNARY_OP(cos, build_borrowing_unary_float_op)
UNARY_OP(tanh, build_borrowing_unary_float_op)
UNARY_OP(sigmoid, build_borrowing_unary_float_op)
UNARY_OP(floor, build_borrowing_unary_op)
UNARY_OP(ceil, build_borrowing_unary_op)
UNARY_OP(round, build_borrowing_unary_op)
UNARY_OP(trunc, build_borrowing_unary_op)
UNARY_OP(logical_not, build_borrowing_unary_force_boolean_op)
#undef UNARY_OP

DEFINE_DISPATCH(neg_stub);
DEFINE_DISPATCH(bitwise_not_stub);
DEFINE_DISPATCH(relu_stub);
DEFINE_DISPATCH(isnan_stub);
DEFINE_DISPATCH(isinf_stub);
DEFINE_DISPATCH(isfinite_stub);
DEFINE_DISPATCH(clamp_stub);
DEFINE_DISPATCH(clamp_min_stub);
DEFINE_DISPATCH(clamp_max_stub);

void structured_neg::meta(const Tensor& self) {
  if (self.dtype() == ScalarType::Bool)
    raise(
        "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` "
        "operator instead.");
  build_borrowing_unary_op(maybe_get_output(0), self);
}
void structured_neg_out::impl(const Tensor&, const Tensor&) { neg_stub(*this); }

void structured_bitwise_not::meta(const Tensor& self) {
  if (isFloatingType(self.dtype())) report_unsupported_type("bitwise_not_cpu", self.dtype());
  build_borrowing_unary_op(maybe_get_output(0), self);
}
void structured_bitwise_not_out::impl(const Tensor&, const Tensor&) { bitwise_not_stub(*this); }

void structured_clamp::meta(const Tensor& self, const std::optional<Scalar>& min, const std::optional<Scalar>& max) {
  if (!min && !max) raise("torch.clamp: At least one of 'min' or 'max' must not be None");
  ScalarType type = self.dtype();
  if (min) type = promoteTypes(type, result_type(self, *min));
  if (max) type = promoteTypes(type, result_type(self, *max));
  if (type == ScalarType::Bool) report_unsupported_type("clamp", type);
  if (type == self.dtype()) {
    build_borrowing_unary_op(maybe_get_output(0), self);
  } else {
    build_binary_op(maybe_get_output(0), self, wrapped_scalar_tensor(min && min->isFloatingPoint() ? *min : max ? *max : *min));
    remove_operand(2);
  }
}
void structured_clamp_out::impl(const Tensor&, const std::optional<Scalar>& min, const std::optional<Scalar>& max, const Tensor&) {
  if (!max) return clamp_min_stub(*this, *min, *min);
  if (!min) return clamp_max_stub(*this, *max, *max);
  clamp_stub(*this, *min, *max);
}

Tensor square(const Tensor& self) { return at::pow(self, Scalar(2)); }
Tensor& square_(Tensor& self) { return at::pow_(self, Scalar(2)); }

Tensor relu(const Tensor& self) {
  if (self.dtype() == ScalarType::Bool) raise("Boolean inputs not supported for relu");
  TensorIterator iter = TensorIterator::unary_op(Tensor(), self);
  relu_stub(iter);
  return iter.output();
}
Tensor& relu_(Tensor& self) {
  if (self.dtype() == ScalarType::Bool) raise("Boolean inputs not supported for relu");
  TensorIterator iter = TensorIterator::unary_op(self, self);
  relu_stub(iter);
  return self;
}

namespace {

Tensor classify(const Tensor& self, unary_fn kernel) {
  TensorIterator iter;
  iter.build_unary_force_boolean_op(Tensor(), self);
  kernel(iter);
  return iter.output();
}

}  // namespace

Tensor isnan(const Tensor& self) { return classify(self, isnan_stub.get_call_ptr()); }
Tensor isinf(const Tensor& self) { return classify(self, isinf_stub.get_call_ptr()); }
Tensor isfinite(const Tensor& self) { return classify(self, isfinite_stub.get_call_ptr()); }

}  // namespace tensorlib::native
