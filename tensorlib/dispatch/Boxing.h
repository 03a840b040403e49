// Between the two forms of a kernel: typed arguments, and values on a stack. One kernel for all operators can only be written boxed.
#pragma once

#include <tuple>
#include <utility>

#include "core/Exception.h"
#include "dispatch/IValue.h"
#include "dispatch/KernelFunction.h"

namespace tensorlib::boxing {

// ---- from typed to boxed

inline IValue box(const Tensor& value) { return value; }
inline IValue box(const Scalar& value) { return value; }
inline IValue box(std::int64_t value) { return value; }
inline IValue box(double value) { return value; }
inline IValue box(bool value) { return value; }
inline IValue box(ScalarType value) { return value; }
inline IValue box(Generator value) { return value; }
inline IValue box(std::string_view value) { return std::string(value); }
inline IValue box(IntArrayRef value) { return std::vector<std::int64_t>(value.begin(), value.end()); }
inline IValue box(TensorList value) { return std::vector<Tensor>(value.begin(), value.end()); }
inline IValue box(OptionalTensorList value) { return std::vector<std::optional<Tensor>>(value.begin(), value.end()); }
inline IValue box(const std::vector<Tensor>& value) { return value; }
template <typename T>
IValue box(const std::optional<T>& value) {
  return value ? box(*value) : IValue();
}

// ---- from boxed to typed

[[noreturn]] void report_type_mismatch(const IValue& value);

/// What is in the value. Views (lists, text) look into it: it must live on.
template <typename T>
struct Unbox {
  static T from(const IValue& value) {
    if (const T* found = std::get_if<T>(&value)) return *found;
    report_type_mismatch(value);
  }
};
template <typename View, typename Held>
struct UnboxView {
  static View from(const IValue& value) {
    if (const Held* found = std::get_if<Held>(&value)) return View(*found);
    report_type_mismatch(value);
  }
};
template <>
struct Unbox<IntArrayRef> : UnboxView<IntArrayRef, std::vector<std::int64_t>> {};
template <>
struct Unbox<TensorList> : UnboxView<TensorList, std::vector<Tensor>> {};
template <>
struct Unbox<OptionalTensorList> : UnboxView<OptionalTensorList, std::vector<std::optional<Tensor>>> {};
template <>
struct Unbox<std::string_view> : UnboxView<std::string_view, std::string> {};
template <typename T>
struct Unbox<std::optional<T>> {
  static std::optional<T> from(const IValue& value) {
    if (std::holds_alternative<std::monostate>(value)) return std::nullopt;
    return Unbox<T>::from(value);
  }
};

// ---- calls

template <typename Result>
void push_result(Stack& stack, Result&& result) {
  stack.push_back(box(std::forward<Result>(result)));
}
template <typename... Results>
void push_result(Stack& stack, std::tuple<Results...> results) {
  std::apply([&](auto&&... each) { (stack.push_back(box(each)), ...); }, results);
}

/// Calls the typed kernel with the arguments on the stack and leaves its results there.
template <typename Signature>
struct CallUnboxed;

template <typename Return, typename... Args>
struct CallUnboxed<Return(Args...)> {
  static void call(const KernelFunction& kernel, DispatchKeySet keys, Stack& stack) {
    if (stack.size() != sizeof...(Args))
      raise("a boxed call has " + std::to_string(stack.size()) + " arguments, the operator takes " + std::to_string(sizeof...(Args)));
    call_with(kernel, keys, stack, std::index_sequence_for<Args...>());
  }

 private:
  template <std::size_t... i>
  static void call_with(const KernelFunction& kernel, DispatchKeySet keys, Stack& stack, std::index_sequence<i...>) {
    auto* typed = reinterpret_cast<Return (*)(OperatorKernel*, DispatchKeySet, Args...)>(kernel.unboxed_kernel_func);
    Stack arguments = std::move(stack);
    stack.clear();
    std::tuple<std::decay_t<Args>...> values{Unbox<std::decay_t<Args>>::from(arguments[i])...};
    if constexpr (std::is_void_v<Return>) {
      typed(kernel.functor, keys, std::get<i>(values)...);
    } else {
      push_result(stack, typed(kernel.functor, keys, std::get<i>(values)...));
    }
  }
};

template <typename Return>
struct PopResult {
  static Return from(Stack& stack) { return Unbox<Return>::from(stack.at(0)); }
};
template <typename... Results>
struct PopResult<std::tuple<Results...>> {
  static std::tuple<Results...> from(Stack& stack) { return take(stack, std::index_sequence_for<Results...>()); }
  template <std::size_t... i>
  static std::tuple<Results...> take(Stack& stack, std::index_sequence<i...>) {
    return {Unbox<Results>::from(stack.at(i))...};
  }
};

/// The argument that an in-place or out operator writes to: what it returns.
template <typename First, typename... Rest>
Tensor& written_argument(First& first, Rest&... rest) {
  if constexpr (std::is_same_v<First, Tensor>) {
    return first;
  } else {
    return written_argument(rest...);
  }
}

/// A boxed kernel as the dispatcher's tables hold kernels: typed.
template <typename Signature>
struct BoxedKernelWrapper;

template <typename Return, typename... Args>
struct BoxedKernelWrapper<Return(Args...)> {
  static Return call(OperatorKernel* functor, DispatchKeySet keys, Args... args) {
    const auto& boxed = *static_cast<BoxedKernel*>(functor);
    Stack stack{box(args)...};
    boxed.function(*boxed.op, keys, stack);
    if constexpr (std::is_same_v<Return, Tensor&>) {
      return written_argument(args...);
    } else if constexpr (!std::is_void_v<Return>) {
      return PopResult<Return>::from(stack);
    }
  }
};

/// Both ways for one operator.
template <typename Op>
BoxingInfo boxing_info() {
  using Signature = typename Op::schema;
  return {reinterpret_cast<KernelFunction::AnyFunction>(&BoxedKernelWrapper<Signature>::call), &CallUnboxed<Signature>::call};
}

}  // namespace tensorlib::boxing
