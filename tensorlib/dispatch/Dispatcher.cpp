#include "dispatch/Dispatcher.h"

#include "core/Exception.h"

namespace tensorlib {

thread_local constinit const OperatorCall* OperatorCall::innermost_ = nullptr;

OperatorEntry& Dispatcher::registerDef(std::string schema, BoxingInfo boxing) {
  if (const OperatorEntry* other = find(schema.substr(0, schema.find('(')))) raise(other->name() + " is defined already");
  OperatorEntry& entry = operators_.emplace_back(std::move(schema), boxing);
  entry.updateDispatchTable(fallbacks_);
  return entry;
}

void Dispatcher::registerImpls(DispatchKey key, std::span<const Registration> table) {
  for (const Registration& row : table) {
    OperatorEntry* entry = find(row.op);
    if (!entry) raise(std::string("no operator is called ") + row.op);
    entry->registerKernel(key, row.kernel, fallbacks_);
  }
}

void Dispatcher::registerFallback(DispatchKey key, KernelFunction kernel) {
  fallbacks_[static_cast<std::size_t>(key)] = kernel;
  for (OperatorEntry& entry : operators_) entry.updateDispatchTable(fallbacks_);
}

const OperatorEntry& Dispatcher::findSchemaOrThrow(std::string_view name) const {
  if (const OperatorEntry* entry = const_cast<Dispatcher*>(this)->find(name)) return *entry;
  raise("no operator is called " + std::string(name));
}

OperatorEntry* Dispatcher::find(std::string_view name) {
  for (OperatorEntry& entry : operators_) {
    if (entry.name() == name) return &entry;
  }
  return nullptr;
}

}  // namespace tensorlib
