// A kernel as the dispatcher keeps it: one address of an unboxed wrapper per entry of an operator's table.
#pragma once

#include "core/DispatchKeySet.h"
#include "dispatch/IValue.h"

namespace tensorlib {

/// Base of the functor that an unboxed wrapper is handed; kernels known when compiling need none, later ones (Python's) carry theirs.
struct OperatorKernel {};

/// Names a function at compile time, so that a wrapper's type names the kernel it calls.
template <auto function>
struct CompileTimeFunctionPointer {
  static constexpr auto value = function;
};

namespace impl {

// Kernels that want the key set of the call take it first (those that redispatch); the others do not see it.
template <typename KernelFunctor, typename Signature>
struct wrap_kernel_functor_unboxed_;

template <auto function, typename Return, typename... Args>
requires requires(DispatchKeySet keys, Args... args) { function(keys, args...); }
struct wrap_kernel_functor_unboxed_<CompileTimeFunctionPointer<function>, Return(Args...)> {
  static Return call(OperatorKernel*, DispatchKeySet dispatchKeySet, Args... args) { return function(dispatchKeySet, args...); }
};

template <auto function, typename Return, typename... Args>
requires requires(Args... args) { function(args...); }
struct wrap_kernel_functor_unboxed_<CompileTimeFunctionPointer<function>, Return(Args...)> {
  static Return call(OperatorKernel*, DispatchKeySet, Args... args) { return function(args...); }
};

}  // namespace impl

class OperatorEntry;

/// A kernel for any operator: arguments are on the stack when it is called, results when it returns.
using BoxedKernelFunction = void(const OperatorEntry& op, DispatchKeySet keys, Stack& stack);

/// What the typed face of a boxed kernel is handed.
struct BoxedKernel : OperatorKernel {
  const OperatorEntry* op = nullptr;
  BoxedKernelFunction* function = nullptr;
};

/// One kernel. Empty when it has neither function.
struct KernelFunction {
  using AnyFunction = void (*)();

  AnyFunction unboxed_kernel_func = nullptr;
  OperatorKernel* functor = nullptr;
  bool fallthrough = false;
  BoxedKernelFunction* boxed_kernel_func = nullptr;

  bool valid() const { return unboxed_kernel_func != nullptr || boxed_kernel_func != nullptr || fallthrough; }

  template <auto function, typename Signature>
  static KernelFunction makeFromUnboxedFunction() {
    auto* wrapper = &impl::wrap_kernel_functor_unboxed_<CompileTimeFunctionPointer<function>, Signature>::call;
    return {reinterpret_cast<AnyFunction>(wrapper), nullptr, false, nullptr};
  }
  static KernelFunction makeFallthrough() { return {nullptr, nullptr, true, nullptr}; }
  static KernelFunction makeFromBoxedFunction(BoxedKernelFunction* function) { return {nullptr, nullptr, false, function}; }
};

/// How to come from one form of a kernel to the other for the types of one operator (see Boxing.h).
struct BoxingInfo {
  KernelFunction::AnyFunction boxed_kernel_wrapper = nullptr;  ///< The typed face of a boxed kernel; its functor is a BoxedKernel.
  void (*call_unboxed)(const KernelFunction&, DispatchKeySet, Stack&) = nullptr;
};

}  // namespace tensorlib
