// pow: its structured operators and the stubs of its kernels.
#pragma once

#include "core/Scalar.h"
#include "native/DispatchStub.h"
#include "native/TensorIterator.h"

namespace tensorlib::native {

using pow_tensor_scalar_fn = void (*)(TensorIteratorBase&, const Scalar&);
using pow_tensor_tensor_fn = void (*)(TensorIteratorBase&);

DECLARE_DISPATCH(pow_tensor_scalar_fn, pow_tensor_scalar_stub);
DECLARE_DISPATCH(pow_tensor_tensor_fn, pow_tensor_tensor_stub);

}  // namespace tensorlib::native
