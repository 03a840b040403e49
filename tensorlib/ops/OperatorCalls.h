// What `call` and `redispatch` of every operator are made of.
#pragma once

#include "core/ArgumentTypes.h"
#include "dispatch/Dispatcher.h"
#include "ops/Registration.h"

namespace tensorlib {

template <typename Op>
const TypedOperatorHandle<typename Op::schema>& handle() {
  static const TypedOperatorHandle<typename Op::schema> op(dispatcher().findSchemaOrThrow(Op::name));
  return op;
}

inline DispatchKeySet keysOfArgument(const Tensor& tensor) { return tensor.defined() ? tensor.key_set() : DispatchKeySet(); }
inline DispatchKeySet keysOfArgument(const std::optional<Tensor>& tensor) { return tensor ? keysOfArgument(*tensor) : DispatchKeySet(); }
template <typename Element>
DispatchKeySet keysOfArgument(std::span<const Element> tensors) {
  DispatchKeySet keys;
  for (const auto& tensor : tensors) keys = keys | keysOfArgument(tensor);
  return keys;
}

/// The keys of a call: those of its tensors, those that its thread adds and removes, less those that fall through for this operator.
template <typename... Tensors>
DispatchKeySet keysOf(const OperatorEntry& op, const Tensors&... tensors) {
  return computeDispatchKeySet((DispatchKeySet() | ... | keysOfArgument(tensors)), op.nonFallthroughKeys());
}

}  // namespace tensorlib
