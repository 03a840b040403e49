// The types of an iterator: what is computed in, what is cast, what is refused.
#include "core/Exception.h"
#include "native/TensorConversions.h"
#include "native/TensorIterator.h"
#include "native/TypeProperties.h"

namespace tensorlib {

ScalarType TensorIteratorBase::compute_common_dtype() const {
  native::ResultTypeState state;
  for (int i = noutputs_; i < noperands_; ++i) state = native::update_result_type_state(operands_[i].tensor, state);
  return native::result_type(state);
}

void TensorIteratorBase::check_all_same_dtype() const {
  for (int i = 0; i < noperands_; ++i) {
    const ScalarType dtype = operands_[i].target_dtype;
    if (operands_[i].tensor.defined() && dtype != common_dtype_) {
      raise(std::string("Found dtype ") + toString(dtype) + " but expected " + toString(common_dtype_));
    }
  }
}

void TensorIteratorBase::compute_types(const TensorIteratorConfig& config) {
  bool inputs_differ = false;
  for (int i = noutputs_; i < noperands_; ++i) {
    const ScalarType dtype = operands_[i].target_dtype;
    if (common_dtype_ == ScalarType::Undefined) common_dtype_ = dtype;
    inputs_differ |= dtype != common_dtype_;
  }
  if (noperands_ == noutputs_) common_dtype_ = operands_[0].target_dtype;
  if (config.promote_inputs_to_common_dtype_ && (inputs_differ || shape_.empty())) {
    common_dtype_ = compute_common_dtype();
  } else if (config.check_all_same_dtype_) {
    check_all_same_dtype();
  }
  if (config.promote_integer_inputs_to_float_ && isIntegralType(common_dtype_, true)) common_dtype_ = get_default_dtype();
  for (int i = 0; i < noperands_; ++i) cast_operand(operands_[i], config);
  if (inputs_differ && !config.promote_inputs_to_common_dtype_) common_dtype_ = ScalarType::Undefined;
}

void TensorIteratorBase::cast_operand(OperandInfo& operand, const TensorIteratorConfig& config) {
  if (!operand.tensor.defined()) {
    operand.target_dtype = config.static_dtype_ != ScalarType::Undefined ? config.static_dtype_ : common_dtype_;
    return;
  }
  if (!operand.is_output) {
    if (!config.promote_inputs_to_common_dtype_ || operand.target_dtype == common_dtype_) return;
    operand.target_dtype = common_dtype_;
    operand.original_tensor = std::exchange(operand.tensor, MaybeOwnedTensor(native::to(operand.tensor, common_dtype_)));
    return;
  }
  const ScalarType computed = config.static_dtype_ != ScalarType::Undefined ? config.static_dtype_ : common_dtype_;
  if (operand.target_dtype == computed) return;
  if (config.enforce_safe_casting_to_output_ && !canCast(computed, operand.target_dtype)) {
    raise(std::string("result type ") + toString(computed) + " can't be cast to the desired output type " + toString(operand.target_dtype));
  }
  if (!config.cast_common_dtype_to_outputs_) return;
  operand.target_dtype = computed;
  operand.original_tensor = operand.tensor;
  if (!operand.will_resize) operand.tensor = native::empty_like(operand.tensor, computed);
}

}  // namespace tensorlib
