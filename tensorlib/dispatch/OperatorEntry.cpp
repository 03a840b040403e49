#include "dispatch/OperatorEntry.h"

#include "core/Exception.h"
#include "dispatch/Dispatcher.h"

namespace tensorlib {

OperatorEntry::OperatorEntry(std::string schema, BoxingInfo boxing)
    : boxing_(boxing), schema_(std::move(schema)), name_(schema_.substr(0, schema_.find('('))) {}

void OperatorEntry::registerKernel(DispatchKey key, AnnotatedKernel kernel, const BackendFallbacks& fallbacks) {
  if (hasKernelForDispatchKey(key)) raise(name_ + " has a kernel for " + toString(key) + " already");
  registered_[index(key)] = kernel;
  updateDispatchTable(fallbacks);
}

void OperatorEntry::updateDispatchTable(const BackendFallbacks& fallbacks) {
  non_fallthrough_keys_ = DispatchKeySet::full();
  for (int i = 0; i < numDispatchKeys; ++i) {
    const auto key = static_cast<DispatchKey>(i);
    const Computed computed = computeEntry(key, fallbacks);
    KernelFunction& entry = dispatch_table_[index(key)] = computed.kernel.kernel;
    origins_[index(key)] = {computed.rule, computed.kernel.origin};
    if (entry.boxed_kernel_func && boxing_.boxed_kernel_wrapper) {
      boxed_kernels_[index(key)] = {{}, this, entry.boxed_kernel_func};
      entry.unboxed_kernel_func = boxing_.boxed_kernel_wrapper;
      entry.functor = &boxed_kernels_[index(key)];
    }
    if (entry.fallthrough) non_fallthrough_keys_ = non_fallthrough_keys_ - DispatchKeySet(key);
  }
}

// In this order, as PyTorch: a registration at the key itself; at an alias that stands for it; the key's fallback.
//
// CompositeExplicitAutograd stands for the backends (and for calls without any key). CompositeImplicitAutograd stands for the backends and
// for autograd, but not for autograd where a backend has a kernel of its own: then that kernel's gradient is autograd's business.
OperatorEntry::Computed OperatorEntry::computeEntry(DispatchKey key, const BackendFallbacks& fallbacks) const {
  static constinit const AnnotatedKernel missing;
  const auto registered = [this](DispatchKey at) -> const AnnotatedKernel& { return registered_[index(at)]; };
  const auto has = [this](DispatchKey at) { return hasKernelForDispatchKey(at); };
  const bool is_backend = key == DispatchKey::CPU || key == DispatchKey::Undefined;
  const bool is_autograd = key == DispatchKey::AutogradCPU;

  if (has(key)) return {registered(key), TableRule::kernel};
  const bool has_default_kernel = has(DispatchKey::CompositeExplicitAutograd);
  if (is_backend && has_default_kernel) return {registered(DispatchKey::CompositeExplicitAutograd), TableRule::default_backend_kernel};
  const bool backend_has_own = has_default_kernel || has(DispatchKey::CPU);
  if (has(DispatchKey::CompositeImplicitAutograd) && (is_backend || (is_autograd && !backend_has_own)))
    return {registered(DispatchKey::CompositeImplicitAutograd), TableRule::math_kernel};
  if (is_autograd && has(DispatchKey::Autograd)) return {registered(DispatchKey::Autograd), TableRule::autograd_kernel};
  if (key != DispatchKey::Undefined && fallbacks[index(key)].kernel.valid()) return {fallbacks[index(key)], TableRule::backend_fallback};
  return {missing, TableRule::missing};
}

void OperatorEntry::reportMissingKernel(DispatchKeySet keys) const {
  throw NotImplementedError("Could not run '" + name_ + "' with dispatch key " + toString(keys.highestPriorityKey()) + " of " +
                            toString(keys) + ": no kernel is registered there. Registered: " + dumpComputedTable());
}

namespace {

struct KeysOf {
  DispatchKeySet operator()(const Tensor& tensor) const { return tensor.defined() ? tensor.key_set() : DispatchKeySet(); }
  DispatchKeySet operator()(const std::vector<Tensor>& tensors) const {
    DispatchKeySet keys;
    for (const Tensor& tensor : tensors) keys = keys | (*this)(tensor);
    return keys;
  }
  DispatchKeySet operator()(const std::vector<std::optional<Tensor>>& tensors) const {
    DispatchKeySet keys;
    for (const auto& tensor : tensors) keys = keys | (tensor ? (*this)(*tensor) : DispatchKeySet());
    return keys;
  }
  template <typename Other>
  DispatchKeySet operator()(const Other&) const {
    return {};
  }
};

}  // namespace

DispatchKeySet boxedKeys(const IValue& value) { return std::visit(KeysOf(), value); }

void OperatorEntry::callBoxed(Stack& stack) const {
  DispatchKeySet tensors;
  for (const IValue& value : stack) tensors = tensors | boxedKeys(value);
  redispatchBoxed(computeDispatchKeySet(tensors, nonFallthroughKeys()), stack);
}

void OperatorEntry::redispatchBoxed(DispatchKeySet keys, Stack& stack) const {
  const OperatorCall call(*this, keys & nonFallthroughKeys());
  const KernelFunction& kernel = lookup(call.dispatchKeySet());
  if (kernel.boxed_kernel_func) return kernel.boxed_kernel_func(*this, call.dispatchKeySet(), stack);
  if (!boxing_.call_unboxed) raise(name_ + " cannot be called with boxed arguments");
  boxing_.call_unboxed(kernel, call.dispatchKeySet(), stack);
}

}  // namespace tensorlib
