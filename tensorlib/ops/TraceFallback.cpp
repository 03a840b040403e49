// What runs at the key Tracer, for every operator: prints the call and goes on below.
#include "ops/TraceFallback.h"

#include <cstdio>
#include <cstdlib>

#include "core/LocalDispatchKeySet.h"
#include "dispatch/Dispatcher.h"
#include "ops/ExplainDispatch.h"

namespace tensorlib {

namespace {

// Operators that called this one: kernels made of others are seen as such.
int depth() {
  int calls = 0;
  const OperatorEntry* last = nullptr;
  for (const OperatorCall* call = OperatorCall::innermost(); call; call = call->outer()) {
    if (&call->op() != last) ++calls;  // redispatches of one call count once
    last = &call->op();
  }
  return calls - 1;
}

}  // namespace

void trace_fallback(const OperatorEntry& op, DispatchKeySet keys, Stack& stack) {
  explain_instead_of_calling(op, stack);
  std::string line(static_cast<std::size_t>(2 * depth()), ' ');
  line += op.name() + "(";
  for (std::size_t i = 0; i < stack.size(); ++i) line += (i ? ", " : "") + toString(stack[i]);
  const DispatchKeySet below = keys & DispatchKeySet::below(DispatchKey::Tracer);
  line += std::string(") -> ") + toString(below.highestPriorityKey()) + "\n";
  std::fputs(line.c_str(), stderr);
  op.redispatchBoxed(below, stack);
}

namespace {

LocalDispatchKeySet with_tracer(LocalDispatchKeySet local, bool on) {
  const DispatchKeySet tracer(DispatchKey::Tracer);
  return {on ? local.included_ | tracer : local.included_ - tracer, on ? local.excluded_ - tracer : local.excluded_ | tracer};
}

}  // namespace

void set_dispatch_trace(bool on) { force_tls_local_dispatch_key_set(with_tracer(tls_local_dispatch_key_set(), on)); }
void trace_on_every_thread() { set_default_local_dispatch_key_set(with_tracer(LocalDispatchKeySet(), true)); }

bool dispatch_trace_asked_for() {
  const char* value = std::getenv("TENSORLIB_SHOW_DISPATCH_TRACE");
  return value && *value && *value != '0';
}

}  // namespace tensorlib
