#include "dispatch/Dispatcher.h"

#include "core/Exception.h"
#include "core/operator_hook.h"

constinit std::atomic<callpath_operator_hook_function> callpath_operator_hook{nullptr};

namespace tensorlib {

thread_local constinit const OperatorCall* OperatorCall::innermost_ = nullptr;

OperatorEntry& Dispatcher::registerDef(std::string schema, BoxingInfo boxing) {
  if (const OperatorEntry* other = find(schema.substr(0, schema.find('(')))) raise(other->name() + " is defined already");
  OperatorEntry& entry = operators_.emplace_back(std::move(schema), boxing);
  by_name_.emplace(entry.name(), &entry);
  entry.updateDispatchTable(fallbacks_);
  return entry;
}

void Dispatcher::registerImpls(DispatchKey key, std::span<const Registration> table) {
  for (const Registration& row : table) {
    OperatorEntry* entry = find(row.op);
    if (!entry) raise(std::string("no operator is called ") + row.op);
    entry->registerKernel(key, {row.kernel, row.origin}, fallbacks_);
  }
}

void Dispatcher::registerFallback(DispatchKey key, KernelFunction kernel, std::source_location where) {
  fallbacks_[static_cast<std::size_t>(key)] = {kernel, {"", where.file_name(), where.line()}};
  for (OperatorEntry& entry : operators_) entry.updateDispatchTable(fallbacks_);
}

const OperatorEntry& Dispatcher::findSchemaOrThrow(std::string_view name) const {
  if (const OperatorEntry* entry = find(name)) return *entry;
  raise("no operator is called " + std::string(name));
}

OperatorEntry* Dispatcher::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

}  // namespace tensorlib
