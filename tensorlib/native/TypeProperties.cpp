#include "native/TypeProperties.h"

namespace tensorlib::native {

namespace {

ScalarType combine_categories(ScalarType higher, ScalarType lower) {
  if (isFloatingType(higher)) return higher;
  if (higher == ScalarType::Bool || higher == ScalarType::Undefined || isFloatingType(lower)) return promoteTypes(higher, lower);
  return higher;
}

/// A Python float takes the default type: that it is a double says nothing.
ScalarType type_of_number(ScalarType type) { return isFloatingType(type) ? get_default_dtype() : type; }

}  // namespace

ResultTypeState update_result_type_state(const Tensor& tensor, const ResultTypeState& state) {
  ResultTypeState next = state;
  if (!tensor.defined()) return next;
  if (tensor.dim() > 0) {
    next.dimResult = promoteTypes(state.dimResult, tensor.dtype());
  } else if (tensor.impl()->is_wrapped_number()) {
    next.wrappedResult = promoteTypes(state.wrappedResult, type_of_number(tensor.dtype()));
  } else {
    next.zeroResult = promoteTypes(state.zeroResult, tensor.dtype());
  }
  return next;
}

ResultTypeState update_result_type_state(const Scalar& scalar, const ResultTypeState& state) {
  ResultTypeState next = state;
  next.wrappedResult = promoteTypes(state.wrappedResult, type_of_number(scalar.type()));
  return next;
}

ScalarType result_type(const ResultTypeState& state) {
  return combine_categories(state.dimResult, combine_categories(state.zeroResult, state.wrappedResult));
}

ScalarType result_type(const Tensor& a, const Tensor& b) {
  return result_type(update_result_type_state(b, update_result_type_state(a, {})));
}
ScalarType result_type(const Tensor& tensor, const Scalar& scalar) {
  // A number cannot change a floating type.
  if (tensor.defined() && isFloatingType(tensor.dtype()) && !tensor.impl()->is_wrapped_number()) return tensor.dtype();
  return result_type(update_result_type_state(scalar, update_result_type_state(tensor, {})));
}
ScalarType result_type(const Scalar& scalar, const Tensor& tensor) { return result_type(tensor, scalar); }
ScalarType result_type(const Scalar& a, const Scalar& b) {
  return result_type(update_result_type_state(b, update_result_type_state(a, {})));
}

}  // namespace tensorlib::native
