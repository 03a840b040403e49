// One operator: what was registered for it, and the table computed from that.
#pragma once

#include <array>
#include <string>

#include "dispatch/KernelFunction.h"

namespace tensorlib {

/// Fallbacks for every operator that registers nothing of its own at a key.
using BackendFallbacks = std::array<KernelFunction, numDispatchKeys>;

class OperatorEntry {
 public:
  /// `schema` is "tensorlib::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor".
  explicit OperatorEntry(std::string schema, BoxingInfo boxing = {});
  OperatorEntry(const OperatorEntry&) = delete;  // Tables point into it.
  OperatorEntry& operator=(const OperatorEntry&) = delete;

  const std::string& name() const { return name_; }
  const std::string& schema() const { return schema_; }

  void registerKernel(DispatchKey key, KernelFunction kernel, const BackendFallbacks& fallbacks);
  void updateDispatchTable(const BackendFallbacks& fallbacks);

  /// Keys at which a kernel runs rather than falling through.
  DispatchKeySet nonFallthroughKeys() const { return non_fallthrough_keys_; }
  bool hasKernelForDispatchKey(DispatchKey key) const { return registered_[index(key)].valid(); }
  const KernelFunction& registeredKernel(DispatchKey key) const { return registered_[index(key)]; }
  /// What the computed table holds at a key: see computeEntry.
  const KernelFunction& kernelForDispatchKey(DispatchKey key) const { return dispatch_table_[index(key)]; }

  /// The kernel for the highest key of the set. Raises NotImplementedError, naming the operator and the key, when there is none.
  const KernelFunction& lookup(DispatchKeySet keys) const {
    const KernelFunction& kernel = dispatch_table_[index(keys.highestPriorityKey())];
    if (!kernel.unboxed_kernel_func) [[unlikely]]
      reportMissingKernel(keys);
    return kernel;
  }

  /// The operator on boxed arguments, from the highest key; then from the highest of given keys.
  void callBoxed(Stack& stack) const;
  void redispatchBoxed(DispatchKeySet keys, Stack& stack) const;

  /// The computed table, one line per key: "AutogradCPU: kernel" and so on. For people and tests.
  std::string dumpComputedTable() const;

 private:
  static std::size_t index(DispatchKey key) { return static_cast<std::size_t>(key); }
  KernelFunction computeEntry(DispatchKey key, const BackendFallbacks& fallbacks) const;
  [[noreturn]] void reportMissingKernel(DispatchKeySet keys) const;

  BoxingInfo boxing_;
  std::array<BoxedKernel, numDispatchKeys> boxed_kernels_;
  std::string schema_;
  std::string name_;
  std::array<KernelFunction, numRegistrationKeys> registered_;
  std::array<KernelFunction, numDispatchKeys> dispatch_table_;
  DispatchKeySet non_fallthrough_keys_ = DispatchKeySet::full();
};

}  // namespace tensorlib
