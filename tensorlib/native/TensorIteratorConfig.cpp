// Configurations of the usual operators.
#include "core/Exception.h"
#include "native/TensorIterator.h"

namespace tensorlib {

const Tensor** TensorIteratorConfig::next_place() {
  if (ntensors_ == TensorIteratorBase::max_operands) raise("an operator has too many operands: an iterator takes 8");
  return &tensors_[ntensors_++];
}

Tensor& TensorIteratorConfig::next_owned() {
  if (nowned_ == max_owned) raise("an operator has too many operands of its own making: an iterator takes 4");
  return owned_[nowned_++];
}

TensorIteratorConfig& TensorIteratorConfig::add_output(const Tensor& output) {
  if (noutputs_ != ntensors_) raise("outputs of an iterator are added before its inputs");
  *next_place() = &output;
  ++noutputs_;
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::add_input(const Tensor& input) {
  *next_place() = &input;
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::add_owned_output(Tensor output) {
  Tensor& kept = next_owned();
  kept = std::move(output);
  return add_output(kept);
}

TensorIteratorConfig& TensorIteratorConfig::add_owned_input(Tensor input) {
  Tensor& kept = next_owned();
  kept = std::move(input);
  return add_input(kept);
}

TensorIteratorConfig& TensorIteratorConfig::declare_static_shape(IntArrayRef shape) {
  static_shape_ = DimVector(shape);
  return set(has_static_shape_, true);
}

TensorIterator TensorIteratorConfig::build() const {
  TensorIterator iter;
  iter.build(*this);
  return iter;
}

namespace {

/// Any types: promoted to one, the result cast to the output's.
struct PromotingConfig : TensorIteratorConfig {
  PromotingConfig() { promote_inputs_to_common_dtype(true).cast_common_dtype_to_outputs(true).enforce_safe_casting_to_output(true); }
};

struct FloatConfig : PromotingConfig {
  FloatConfig() { promote_integer_inputs_to_float(true); }
};

/// The loop writes bool; an output of another type gets the truth values cast.
struct BooleanConfig : TensorIteratorConfig {
  BooleanConfig() { declare_static_dtype(ScalarType::Bool).cast_common_dtype_to_outputs(true); }
};

struct ReduceConfig : TensorIteratorConfig {
  ReduceConfig() { set_check_mem_overlap(false).resize_outputs(false).is_reduction(true).check_all_same_dtype(false); }
};

}  // namespace

void TensorIteratorBase::build_unary_op(const Tensor& out, const Tensor& a) { build(PromotingConfig().add_output(out).add_input(a)); }

void TensorIteratorBase::build_unary_float_op(const Tensor& out, const Tensor& a) { build(FloatConfig().add_output(out).add_input(a)); }

void TensorIteratorBase::build_unary_force_boolean_op(const Tensor& out, const Tensor& a) {
  build(BooleanConfig().add_output(out).add_input(a));
}

void TensorIteratorBase::build_binary_op(const Tensor& out, const Tensor& a, const Tensor& b) {
  build(PromotingConfig().add_output(out).add_input(a).add_input(b));
}

void TensorIteratorBase::build_binary_float_op(const Tensor& out, const Tensor& a, const Tensor& b) {
  build(FloatConfig().add_output(out).add_input(a).add_input(b));
}

void TensorIteratorBase::build_comparison_op(const Tensor& out, const Tensor& a, const Tensor& b) {
  build(BooleanConfig().promote_inputs_to_common_dtype(true).add_output(out).add_input(a).add_input(b));
}

void TensorIteratorBase::build_ternary_op(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& c) {
  build(PromotingConfig().add_output(out).add_input(a).add_input(b).add_input(c));
}

[[gnu::flatten]] void TensorIteratorBase::build_borrowing_unary_op(const Tensor& out, const Tensor& a) {
  build(PromotingConfig().borrow_tensors().add_output(out).add_input(a));
}

[[gnu::flatten]] void TensorIteratorBase::build_borrowing_unary_float_op(const Tensor& out, const Tensor& a) {
  build(FloatConfig().borrow_tensors().add_output(out).add_input(a));
}

void TensorIteratorBase::build_borrowing_unary_force_boolean_op(const Tensor& out, const Tensor& a) {
  build(BooleanConfig().borrow_tensors().add_output(out).add_input(a));
}

[[gnu::flatten]] void TensorIteratorBase::build_borrowing_binary_op(const Tensor& out, const Tensor& a, const Tensor& b) {
  build(PromotingConfig().borrow_tensors().add_output(out).add_input(a).add_input(b));
}

[[gnu::flatten]] void TensorIteratorBase::build_borrowing_binary_float_op(const Tensor& out, const Tensor& a, const Tensor& b) {
  build(FloatConfig().borrow_tensors().add_output(out).add_input(a).add_input(b));
}

void TensorIteratorBase::build_borrowing_comparison_op(const Tensor& out, const Tensor& a, const Tensor& b) {
  build(BooleanConfig().promote_inputs_to_common_dtype(true).borrow_tensors().add_output(out).add_input(a).add_input(b));
}

void TensorIteratorBase::build_nullary_op(const Tensor& out) {
  TensorIteratorConfig config;
  config.check_all_same_dtype(false).resize_outputs(false).add_output(out);
  build(config);
}

void TensorIteratorBase::build_copy_op(const Tensor& out, const Tensor& a, ScalarType dtype) {
  TensorIteratorConfig config;
  config.check_all_same_dtype(false).resize_outputs(false).declare_static_dtype(dtype).add_output(out).add_input(a);
  build(config);
}

TensorIterator TensorIterator::unary_op(const Tensor& out, const Tensor& a) {
  TensorIterator iter;
  iter.build_unary_op(out, a);
  return iter;
}

TensorIterator TensorIterator::unary_float_op(const Tensor& out, const Tensor& a) {
  TensorIterator iter;
  iter.build_unary_float_op(out, a);
  return iter;
}

TensorIterator TensorIterator::binary_op(const Tensor& out, const Tensor& a, const Tensor& b) {
  TensorIterator iter;
  iter.build_binary_op(out, a, b);
  return iter;
}

TensorIterator TensorIterator::binary_float_op(const Tensor& out, const Tensor& a, const Tensor& b) {
  TensorIterator iter;
  iter.build_binary_float_op(out, a, b);
  return iter;
}

TensorIterator TensorIterator::comparison_op(const Tensor& out, const Tensor& a, const Tensor& b) {
  TensorIterator iter;
  iter.build_comparison_op(out, a, b);
  return iter;
}

TensorIterator TensorIterator::nullary_op(const Tensor& out) {
  TensorIterator iter;
  iter.build_nullary_op(out);
  return iter;
}

TensorIterator TensorIterator::reduce_op(const Tensor& out, const Tensor& a) { return ReduceConfig().add_output(out).add_input(a).build(); }

TensorIterator TensorIterator::reduce_op(const Tensor& out1, const Tensor& out2, const Tensor& a) {
  return ReduceConfig().add_output(out1).add_output(out2).add_input(a).build();
}

}  // namespace tensorlib
