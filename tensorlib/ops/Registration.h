// The one place where operators, kernels and fallbacks are put together: explicit tables, nothing registers itself.
#pragma once

#include "dispatch/Dispatcher.h"

namespace tensorlib {

/// The process's dispatcher with every table registered; the first call builds it, safely from any thread.
Dispatcher& dispatcher();

void registerOperators(Dispatcher&);      // ops/Operators.cpp: the schemas
void registerCPU(Dispatcher&);            // ops/RegisterCPU.cpp
void registerBackendSelect(Dispatcher&);  // ops/RegisterBackendSelect.cpp
void registerVariableType(Dispatcher&);   // autograd/VariableType.cpp

}  // namespace tensorlib
