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
  for (int i = 1; i < numDispatchKeys; ++i) {
    const auto key = static_cast<DispatchKey>(i);
    dispatch_table_[index(key)] = registered_[index(key)].valid() ? registered_[index(key)] : fallbacks[index(key)];
    if (dispatch_table_[index(key)].fallthrough) non_fallthrough_keys_ = non_fallthrough_keys_ - DispatchKeySet(key);
  }
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
