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

/// Runs the loop of a reduction with one output over everything, as TensorIteratorBase::parallel_reduce; where all goes into one number,
/// also on several threads. `join` is the loop that puts such numbers together; the output's start value must be one that changes nothing.
void parallel_reduce(TensorIteratorBase& iter, TensorIteratorBase::loop2d_t loop, TensorIteratorBase::loop2d_t join);

}  // namespace tensorlib::native
