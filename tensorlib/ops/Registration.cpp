#include "ops/Registration.h"

#include "ops/TraceFallback.h"

namespace tensorlib {

namespace {

/// Keys that most operators have nothing to do at: a call passes through to the next key.
void registerFallthroughs(Dispatcher& dispatcher) {
  for (DispatchKey key : {DispatchKey::BackendSelect, DispatchKey::ADInplaceOrView, DispatchKey::AutogradCPU, DispatchKey::AutocastCPU}) {
    dispatcher.registerFallback(key, KernelFunction::makeFallthrough());
  }
  dispatcher.registerFallback(DispatchKey::Tracer, KernelFunction::makeFromBoxedFunction(&trace_fallback));
}

Dispatcher make_dispatcher() {
  if (dispatch_trace_asked_for()) trace_on_every_thread();
  Dispatcher dispatcher;
  registerSchemas(dispatcher);
  registerFallthroughs(dispatcher);
  registerBackendSelect(dispatcher);
  registerVariableType(dispatcher);
  registerADInplaceOrView(dispatcher);
  registerCPU(dispatcher);
  registerCompositeImplicitAutograd(dispatcher);
  registerCompositeExplicitAutograd(dispatcher);
  return dispatcher;
}

}  // namespace

Dispatcher& dispatcher() {
  static Dispatcher instance = make_dispatcher();
  return instance;
}

}  // namespace tensorlib
