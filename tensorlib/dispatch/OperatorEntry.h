// One operator: what was registered for it, and the table computed from that.
#pragma once

#include <array>
#include <string>

#include "dispatch/KernelFunction.h"

namespace tensorlib {

/// Where a kernel was registered, for people. Texts live as long as the process.
struct KernelOrigin {
  const char* kernel = "";  ///< The function's name, perhaps with more around it: see kernelName().
  const char* file = "";
  unsigned line = 0;
};

/// "tensorlib::(anonymous namespace)::wrapper_CPU_pow_Tensor_Scalar"; empty where the kernel is none of C++'s functions.
std::string kernelName(const KernelOrigin& origin);
/// "tensorlib/generated/ops/RegisterCPU.cpp:30": from the last folder `tensorlib` on.
std::string registeredAt(const KernelOrigin& origin);

struct AnnotatedKernel {
  KernelFunction kernel;
  KernelOrigin origin;
};

/// Which rule put an entry into a computed table, in the order in which they are asked.
enum class TableRule : std::uint8_t { kernel, default_backend_kernel, math_kernel, autograd_kernel, backend_fallback, missing };
/// PyTorch's words: "kernel", "default backend kernel", "math kernel", "autograd kernel", "backend fallback", "missing".
const char* toString(TableRule rule);

/// Where an entry of a computed table comes from.
struct TableEntryOrigin {
  TableRule rule = TableRule::missing;
  KernelOrigin origin;
};

/// Fallbacks for every operator that registers nothing of its own at a key.
using BackendFallbacks = std::array<AnnotatedKernel, numDispatchKeys>;

/// The keys of the tensors in a value.
DispatchKeySet boxedKeys(const IValue& value);

class OperatorEntry {
 public:
  /// `schema` is "tensorlib::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor".
  explicit OperatorEntry(std::string schema, BoxingInfo boxing = {});
  OperatorEntry(const OperatorEntry&) = delete;  // Tables point into it.
  OperatorEntry& operator=(const OperatorEntry&) = delete;

  const std::string& name() const { return name_; }
  const std::string& schema() const { return schema_; }

  void registerKernel(DispatchKey key, AnnotatedKernel kernel, const BackendFallbacks& fallbacks);
  void updateDispatchTable(const BackendFallbacks& fallbacks);

  /// Keys at which a kernel runs rather than falling through.
  DispatchKeySet nonFallthroughKeys() const { return non_fallthrough_keys_; }
  bool hasKernelForDispatchKey(DispatchKey key) const { return registered_[index(key)].kernel.valid(); }
  /// What the computed table holds at a key: see computeEntry.
  const KernelFunction& kernelForDispatchKey(DispatchKey key) const { return dispatch_table_[index(key)]; }
  const TableEntryOrigin& entryOrigin(DispatchKey key) const { return origins_[index(key)]; }

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

  /// The computed table, one line per key, as PyTorch writes it: "CPU: registered at FILE:LINE [kernel]".
  std::string dumpComputedTable() const;
  /// What was registered: name, schema, and a line for each key or alias, as PyTorch writes it.
  std::string dumpState() const;

 private:
  static std::size_t index(DispatchKey key) { return static_cast<std::size_t>(key); }
  struct Computed {
    const AnnotatedKernel& kernel;
    TableRule rule;
  };
  Computed computeEntry(DispatchKey key, const BackendFallbacks& fallbacks) const;
  [[noreturn]] void reportMissingKernel(DispatchKeySet keys) const;

  // What every call reads stands first.
  DispatchKeySet non_fallthrough_keys_ = DispatchKeySet::full();
  std::array<KernelFunction, numDispatchKeys> dispatch_table_;
  BoxingInfo boxing_;
  std::array<BoxedKernel, numDispatchKeys> boxed_kernels_;
  std::string schema_;
  std::string name_;
  std::array<AnnotatedKernel, numRegistrationKeys> registered_;
  std::array<TableEntryOrigin, numDispatchKeys> origins_;
};

}  // namespace tensorlib
