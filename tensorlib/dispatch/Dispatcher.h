// All operators, and how a call finds its kernel.
#pragma once

#include <deque>
#include <source_location>
#include <span>
#include <string_view>
#include <unordered_map>

#include "core/LocalDispatchKeySet.h"
#include "dispatch/OperatorEntry.h"

namespace tensorlib {

/// A row of a registration table.
struct Registration {
  const char* op;  ///< "tensorlib::pow.Tensor_Scalar"
  KernelFunction kernel;
  KernelOrigin origin = {};
};

/// Filled once, before the first call (see ops/Registration.h); afterwards read only, from any thread.
class Dispatcher {
 public:
  OperatorEntry& registerDef(std::string schema, BoxingInfo boxing = {});
  void registerImpls(DispatchKey key, std::span<const Registration> table);
  void registerFallback(DispatchKey key, KernelFunction kernel, std::source_location where = std::source_location::current());

  /// Raises Error when no operator has that name.
  const OperatorEntry& findSchemaOrThrow(std::string_view name) const;
  const std::deque<OperatorEntry>& operators() const { return operators_; }

 private:
  OperatorEntry* find(std::string_view name) const;

  std::deque<OperatorEntry> operators_;  // a deque: handles keep addresses
  std::unordered_map<std::string_view, OperatorEntry*> by_name_;
  BackendFallbacks fallbacks_;
};

/// The keys that a call dispatches on: those of its tensors, with what the thread includes and excludes.
inline DispatchKeySet computeDispatchKeySet(DispatchKeySet tensors, DispatchKeySet mask) {
  const LocalDispatchKeySet local = tls_local_dispatch_key_set();
  return ((tensors | local.included_) - local.excluded_) & mask;
}

/// An operator call in progress on this thread; calls nest. It says which operator a thread is in, and keeps the key set that it was
/// dispatched on in memory, where debuggers and tracers find it while the kernel runs.
class OperatorCall {
 public:
  OperatorCall(const OperatorEntry& op, DispatchKeySet dispatchKeySet) : op_(&op), dispatchKeySet_(dispatchKeySet), outer_(innermost_) {
    innermost_ = this;
  }
  ~OperatorCall() { innermost_ = outer_; }
  OperatorCall(const OperatorCall&) = delete;
  OperatorCall& operator=(const OperatorCall&) = delete;

  /// The call this thread is in; null outside of operators.
  static const OperatorCall* innermost() { return innermost_; }
  const OperatorEntry& op() const { return *op_; }
  DispatchKeySet dispatchKeySet() const { return dispatchKeySet_; }
  const OperatorCall* outer() const { return outer_; }

 private:
  const OperatorEntry* op_;
  DispatchKeySet dispatchKeySet_;
  const OperatorCall* outer_;
  static thread_local constinit const OperatorCall* innermost_;
};

/// An operator whose C++ signature is known: finds the kernel for a call and leaves the call itself to the operator's own function,
/// so that `_ops::X::call` is the frame that a stack shows.
template <typename Signature>
class TypedOperatorHandle;

template <typename Return, typename... Args>
class TypedOperatorHandle<Return(Args...)> {
 public:
  struct BoundKernel {
    Return (*call)(OperatorKernel*, DispatchKeySet, Args...);
    OperatorKernel* functor;
  };

  explicit TypedOperatorHandle(const OperatorEntry& op) : op_(&op) {}

  const OperatorEntry& entry() const { return *op_; }
  BoundKernel lookup(DispatchKeySet keys) const {
    const KernelFunction& kernel = op_->lookup(keys);
    return {reinterpret_cast<Return (*)(OperatorKernel*, DispatchKeySet, Args...)>(kernel.unboxed_kernel_func), kernel.functor};
  }

 private:
  const OperatorEntry* op_;
};

}  // namespace tensorlib
