// The kernels of indexing and choosing.
#pragma once

#include "core/Scalar.h"
#include "native/DispatchStub.h"
#include "native/TensorIterator.h"

namespace tensorlib::native {

using index_fn = void (*)(TensorIteratorBase&);
using index_put_fn = void (*)(TensorIteratorBase&, bool accumulate);
using where_fn = void (*)(TensorIteratorBase&);
using masked_fill_fn = void (*)(TensorIteratorBase&, const Scalar& value);

/// Operands: result, data, offsets in bytes.
DECLARE_DISPATCH(index_fn, index_stub);
/// Operands: data, values, offsets in bytes. Serial: places may be named twice.
DECLARE_DISPATCH(index_put_fn, index_put_stub);
/// Operands: result, condition, self, other.
DECLARE_DISPATCH(where_fn, where_kernel);
/// Operands: self, mask.
DECLARE_DISPATCH(masked_fill_fn, masked_fill_stub);

}  // namespace tensorlib::native
