// Operators without a tensor argument have no keys to go by: BackendSelect gives them the backend's.
#include "core/Export.h"
#include "ops/Operators.h"
#include "ops/Registration.h"

namespace tensorlib {
namespace {

// There is one backend. A device argument would choose here.
TENSORLIB_NOINLINE Tensor randn(IntArrayRef size, ScalarType dtype) {
  return _ops::randn::redispatch(DispatchKeySet(DispatchKey::CPU), size, dtype);
}

}  // namespace

void registerBackendSelect(Dispatcher& dispatcher) {
  const Registration table[] = {
      {_ops::randn::name, KernelFunction::makeFromUnboxedFunction<&randn, _ops::randn::schema>()},
  };
  dispatcher.registerImpls(DispatchKey::BackendSelect, table);
}

}  // namespace tensorlib
