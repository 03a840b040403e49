// The one place where operators, kernels and fallbacks are put together: explicit tables, nothing registers itself.
#pragma once

#include "dispatch/Dispatcher.h"

namespace tensorlib {

/// The process's dispatcher with every table registered; the first call builds it, safely from any thread.
Dispatcher& dispatcher();

// Generated.
void registerSchemas(Dispatcher&);
void registerCPU(Dispatcher&);
void registerCompositeImplicitAutograd(Dispatcher&);
void registerCompositeExplicitAutograd(Dispatcher&);
void registerBackendSelect(Dispatcher&);
void registerVariableType(Dispatcher&);
void registerADInplaceOrView(Dispatcher&);

}  // namespace tensorlib
