// Each operator's way into the dispatcher. `call` and `redispatch` fetch the kernel and call it themselves: they are the frames that a
// stack shows between two kernels, and the OperatorCall on their stack holds the keys of the call.
#include "ops/Operators.h"

#include "ops/Registration.h"

namespace tensorlib {

namespace {

template <typename Op>
const TypedOperatorHandle<typename Op::schema>& handle() {
  static const TypedOperatorHandle<typename Op::schema> op(dispatcher().findSchemaOrThrow(Op::name));
  return op;
}

/// The keys of a call: those of its tensors, those that its thread adds and removes, less those that fall through for this operator.
template <typename... Tensors>
DispatchKeySet keysOf(const OperatorEntry& op, const Tensors&... tensors) {
  return computeDispatchKeySet((DispatchKeySet() | ... | tensors.key_set()), op.nonFallthroughKeys());
}

}  // namespace

void registerOperators(Dispatcher& dispatcher) {
  for (const char* schema :
       {_ops::pow_Tensor_Scalar::schema_str, _ops::pow_Tensor_Tensor::schema_str, _ops::pow_Scalar::schema_str,
        _ops::add_Tensor::schema_str, _ops::sub_Tensor::schema_str, _ops::mul_Tensor::schema_str, _ops::randn::schema_str}) {
    dispatcher.registerDef(schema);
  }
}

namespace _ops {

Tensor pow_Tensor_Scalar::call(const Tensor& self, const Scalar& exponent) {
  const auto& op = handle<pow_Tensor_Scalar>();
  const OperatorCall call(op.entry(), keysOf(op.entry(), self));
  const auto kernel = op.lookup(call.dispatchKeySet());
  return kernel.call(kernel.functor, call.dispatchKeySet(), self, exponent);
}

Tensor pow_Tensor_Scalar::redispatch(DispatchKeySet dispatchKeySet, const Tensor& self, const Scalar& exponent) {
  const auto& op = handle<pow_Tensor_Scalar>();
  const OperatorCall call(op.entry(), dispatchKeySet & op.entry().nonFallthroughKeys());
  const auto kernel = op.lookup(call.dispatchKeySet());
  return kernel.call(kernel.functor, call.dispatchKeySet(), self, exponent);
}

Tensor pow_Tensor_Tensor::call(const Tensor& self, const Tensor& exponent) {
  const auto& op = handle<pow_Tensor_Tensor>();
  const OperatorCall call(op.entry(), keysOf(op.entry(), self, exponent));
  const auto kernel = op.lookup(call.dispatchKeySet());
  return kernel.call(kernel.functor, call.dispatchKeySet(), self, exponent);
}

Tensor pow_Tensor_Tensor::redispatch(DispatchKeySet dispatchKeySet, const Tensor& self, const Tensor& exponent) {
  const auto& op = handle<pow_Tensor_Tensor>();
  const OperatorCall call(op.entry(), dispatchKeySet & op.entry().nonFallthroughKeys());
  const auto kernel = op.lookup(call.dispatchKeySet());
  return kernel.call(kernel.functor, call.dispatchKeySet(), self, exponent);
}

Tensor pow_Scalar::call(const Scalar& self, const Tensor& exponent) {
  const auto& op = handle<pow_Scalar>();
  const OperatorCall call(op.entry(), keysOf(op.entry(), exponent));
  const auto kernel = op.lookup(call.dispatchKeySet());
  return kernel.call(kernel.functor, call.dispatchKeySet(), self, exponent);
}

Tensor pow_Scalar::redispatch(DispatchKeySet dispatchKeySet, const Scalar& self, const Tensor& exponent) {
  const auto& op = handle<pow_Scalar>();
  const OperatorCall call(op.entry(), dispatchKeySet & op.entry().nonFallthroughKeys());
  const auto kernel = op.lookup(call.dispatchKeySet());
  return kernel.call(kernel.functor, call.dispatchKeySet(), self, exponent);
}

Tensor add_Tensor::call(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  const auto& op = handle<add_Tensor>();
  const OperatorCall call(op.entry(), keysOf(op.entry(), self, other));
  const auto kernel = op.lookup(call.dispatchKeySet());
  return kernel.call(kernel.functor, call.dispatchKeySet(), self, other, alpha);
}

Tensor add_Tensor::redispatch(DispatchKeySet dispatchKeySet, const Tensor& self, const Tensor& other, const Scalar& alpha) {
  const auto& op = handle<add_Tensor>();
  const OperatorCall call(op.entry(), dispatchKeySet & op.entry().nonFallthroughKeys());
  const auto kernel = op.lookup(call.dispatchKeySet());
  return kernel.call(kernel.functor, call.dispatchKeySet(), self, other, alpha);
}

Tensor sub_Tensor::call(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  const auto& op = handle<sub_Tensor>();
  const OperatorCall call(op.entry(), keysOf(op.entry(), self, other));
  const auto kernel = op.lookup(call.dispatchKeySet());
  return kernel.call(kernel.functor, call.dispatchKeySet(), self, other, alpha);
}

Tensor sub_Tensor::redispatch(DispatchKeySet dispatchKeySet, const Tensor& self, const Tensor& other, const Scalar& alpha) {
  const auto& op = handle<sub_Tensor>();
  const OperatorCall call(op.entry(), dispatchKeySet & op.entry().nonFallthroughKeys());
  const auto kernel = op.lookup(call.dispatchKeySet());
  return kernel.call(kernel.functor, call.dispatchKeySet(), self, other, alpha);
}

Tensor mul_Tensor::call(const Tensor& self, const Tensor& other) {
  const auto& op = handle<mul_Tensor>();
  const OperatorCall call(op.entry(), keysOf(op.entry(), self, other));
  const auto kernel = op.lookup(call.dispatchKeySet());
  return kernel.call(kernel.functor, call.dispatchKeySet(), self, other);
}

Tensor mul_Tensor::redispatch(DispatchKeySet dispatchKeySet, const Tensor& self, const Tensor& other) {
  const auto& op = handle<mul_Tensor>();
  const OperatorCall call(op.entry(), dispatchKeySet & op.entry().nonFallthroughKeys());
  const auto kernel = op.lookup(call.dispatchKeySet());
  return kernel.call(kernel.functor, call.dispatchKeySet(), self, other);
}

Tensor randn::call(IntArrayRef size, ScalarType dtype) {
  const auto& op = handle<randn>();
  const OperatorCall call(op.entry(), keysOf(op.entry()));
  const auto kernel = op.lookup(call.dispatchKeySet());
  return kernel.call(kernel.functor, call.dispatchKeySet(), size, dtype);
}

Tensor randn::redispatch(DispatchKeySet dispatchKeySet, IntArrayRef size, ScalarType dtype) {
  const auto& op = handle<randn>();
  const OperatorCall call(op.entry(), dispatchKeySet & op.entry().nonFallthroughKeys());
  const auto kernel = op.lookup(call.dispatchKeySet());
  return kernel.call(kernel.functor, call.dispatchKeySet(), size, dtype);
}

}  // namespace _ops
}  // namespace tensorlib
