// Copies between layouts and types.
#pragma once

#include "core/Tensor.h"
#include "native/DispatchStub.h"

namespace tensorlib {
struct TensorIteratorBase;
}

namespace tensorlib::native {

using copy_fn = void (*)(TensorIteratorBase&);
using fill_fn = void (*)(TensorIteratorBase&, double value);

DECLARE_DISPATCH(copy_fn, copy_stub);
DECLARE_DISPATCH(fill_fn, fill_stub);

/// The elements of self in `dtype`, in new memory; dense, in the order of self's strides.
Tensor to(const Tensor& self, ScalarType dtype);
/// Overwrites self with src, converting; shapes must be equal.
void copy_(const Tensor& self, const Tensor& src);
void fill_(const Tensor& self, double value);
/// self if it is row-major already, else a row-major copy.
Tensor contiguous(const Tensor& self);

}  // namespace tensorlib::native
