// What `call` and `redispatch` of every operator are made of.
#pragma once

#include <atomic>

#include "core/ArgumentTypes.h"
#include "dispatch/Dispatcher.h"
#include "ops/Registration.h"

namespace tensorlib {

/// An operator is looked up by its name once; threads that do so at the same time find the same.
template <typename Op>
inline TypedOperatorHandle<typename Op::schema> handle() {
  static constinit std::atomic<const OperatorEntry*> known{nullptr};
  const OperatorEntry* entry = known.load(std::memory_order_acquire);
  if (!entry) [[unlikely]] {
    entry = &dispatcher().findSchemaOrThrow(Op::name);
    known.store(entry, std::memory_order_release);
  }
  return TypedOperatorHandle<typename Op::schema>(*entry);
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
