#include "dispatch/OperatorEntry.h"

#include "core/Exception.h"

namespace tensorlib {

OperatorEntry::OperatorEntry(std::string schema) : schema_(std::move(schema)), name_(schema_.substr(0, schema_.find('('))) {}

void OperatorEntry::registerKernel(DispatchKey key, KernelFunction kernel, const BackendFallbacks& fallbacks) {
  if (registered_[index(key)].valid()) raise(name_ + " has a kernel for " + toString(key) + " already");
  registered_[index(key)] = kernel;
  updateDispatchTable(fallbacks);
}

void OperatorEntry::updateDispatchTable(const BackendFallbacks& fallbacks) {
  non_fallthrough_keys_ = DispatchKeySet::full();
  for (int i = 0; i < numDispatchKeys; ++i) {
    const auto key = static_cast<DispatchKey>(i);
    dispatch_table_[index(key)] = computeEntry(key, fallbacks);
    if (dispatch_table_[index(key)].fallthrough) non_fallthrough_keys_ = non_fallthrough_keys_ - DispatchKeySet(key);
  }
}

// In this order, as PyTorch: a registration at the key itself; at an alias that stands for it; the key's fallback.
//
// CompositeExplicitAutograd stands for the backends (and for calls without any key). CompositeImplicitAutograd stands for the backends and
// for autograd, but not for autograd where a backend has a kernel of its own: then that kernel's gradient is autograd's business.
KernelFunction OperatorEntry::computeEntry(DispatchKey key, const BackendFallbacks& fallbacks) const {
  if (registered_[index(key)].valid()) return registered_[index(key)];
  const bool is_backend = key == DispatchKey::CPU || key == DispatchKey::Undefined;
  const bool is_autograd = key == DispatchKey::AutogradCPU;
  const KernelFunction& explicit_kernel = registered_[index(DispatchKey::CompositeExplicitAutograd)];
  const KernelFunction& implicit_kernel = registered_[index(DispatchKey::CompositeImplicitAutograd)];
  if (is_backend && explicit_kernel.valid()) return explicit_kernel;
  const bool backend_has_own = registered_[index(DispatchKey::CPU)].valid() || explicit_kernel.valid();
  if (implicit_kernel.valid() && (is_backend || (is_autograd && !backend_has_own))) return implicit_kernel;
  if (is_autograd && registered_[index(DispatchKey::Autograd)].valid()) return registered_[index(DispatchKey::Autograd)];
  return key == DispatchKey::Undefined ? KernelFunction{} : fallbacks[index(key)];
}

void OperatorEntry::reportMissingKernel(DispatchKeySet keys) const {
  throw NotImplementedError("Could not run '" + name_ + "' with dispatch key " + toString(keys.highestPriorityKey()) + " of " +
                            toString(keys) + ": no kernel is registered there. Registered: " + dumpComputedTable());
}

std::string OperatorEntry::dumpComputedTable() const {
  std::string text;
  for (int i = 1; i < numDispatchKeys; ++i) {
    const auto key = static_cast<DispatchKey>(i);
    const KernelFunction& entry = dispatch_table_[index(key)];
    const char* what = entry.fallthrough ? "fallthrough" : entry.valid() ? "kernel" : "none";
    text += std::string(toString(key)) + ": " + what + "\n";
  }
  return text;
}

}  // namespace tensorlib
