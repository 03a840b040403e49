// add, sub, mul: structured operators and stubs.
#pragma once

#include "core/Scalar.h"
#include "native/DispatchStub.h"
#include "native/TensorIterator.h"

namespace tensorlib::native {

using structured_binary_fn = void (*)(TensorIteratorBase&);
using structured_binary_fn_alpha = void (*)(TensorIteratorBase&, const Scalar& alpha);

/// out = a + alpha * b; sub is this with -alpha.
DECLARE_DISPATCH(structured_binary_fn_alpha, add_stub);
DECLARE_DISPATCH(structured_binary_fn, mul_stub);

}  // namespace tensorlib::native
