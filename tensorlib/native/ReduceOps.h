// Reductions: stubs of their kernels. Each works on an iterator whose output has stride 0 along what is reduced.
#pragma once

#include "native/DispatchStub.h"
#include "native/TensorIterator.h"

namespace tensorlib::native {

using reduce_fn = void (*)(TensorIteratorBase&);

/// Adds inputs to outputs: float32 and float64 in float64, integers in int64 (the output's type).
DECLARE_DISPATCH(reduce_fn, sum_stub);
DECLARE_DISPATCH(reduce_fn, prod_stub);
DECLARE_DISPATCH(reduce_fn, and_stub);
DECLARE_DISPATCH(reduce_fn, or_stub);
/// The largest and smallest; a nan wins. Outputs hold a first element already.
DECLARE_DISPATCH(reduce_fn, max_values_stub);
DECLARE_DISPATCH(reduce_fn, min_values_stub);

}  // namespace tensorlib::native
