// A kernel as the dispatcher keeps it: one address of an unboxed wrapper per entry of an operator's table.
#pragma once

#include "core/DispatchKeySet.h"

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

/// One kernel. Empty when `unboxed_kernel_func` is null.
struct KernelFunction {
  using AnyFunction = void (*)();

  AnyFunction unboxed_kernel_func = nullptr;
  OperatorKernel* functor = nullptr;
  bool fallthrough = false;

  bool valid() const { return unboxed_kernel_func != nullptr || fallthrough; }

  template <auto function, typename Signature>
  static KernelFunction makeFromUnboxedFunction() {
    auto* wrapper = &impl::wrap_kernel_functor_unboxed_<CompileTimeFunctionPointer<function>, Signature>::call;
    return {reinterpret_cast<AnyFunction>(wrapper), nullptr, false};
  }
  static KernelFunction makeFallthrough() { return {nullptr, nullptr, true}; }
};

}  // namespace tensorlib
