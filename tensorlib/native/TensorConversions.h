// Copies between layouts and types.
#pragma once

#include <optional>

#include "core/Scalar.h"
#include "core/Tensor.h"
#include "native/DispatchStub.h"

namespace tensorlib {
struct TensorIteratorBase;
}

namespace tensorlib::native {

using copy_fn = void (*)(TensorIteratorBase&);
using fill_fn = void (*)(TensorIteratorBase&, const Scalar& value);

DECLARE_DISPATCH(copy_fn, copy_stub);
DECLARE_DISPATCH(fill_fn, fill_stub);

/// The elements of self in `dtype`, in new memory; dense, in the order of self's strides.
Tensor to(const Tensor& self, ScalarType dtype);
/// Overwrites self with src, which broadcasts to it, converting.
const Tensor& copy_(const Tensor& self, const Tensor& src);
/// Every element `value`; raises where the type has no room for it.
const Tensor& fill_(const Tensor& self, const Scalar& value);
/// self if it is row-major already, else a row-major copy.
Tensor contiguous(const Tensor& self);
/// New memory of self's shape: self's strides where it is dense, else dense in their order.
Tensor empty_like(const Tensor& self, std::optional<ScalarType> dtype);

/// What clone() takes: row-major strides whatever self's are.
constexpr std::int64_t contiguous_format = 0;

}  // namespace tensorlib::native
