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

// A structured operator is its iterator: meta() works out shape, type and memory, impl() computes.

struct structured_pow_Tensor_Scalar : TensorIteratorBase {
  void meta(const Tensor& self, const Scalar& exponent);
};
struct structured_pow_Tensor_Scalar_out : structured_pow_Tensor_Scalar {
  void impl(const Tensor& self, const Scalar& exponent, const Tensor& out);
};

struct structured_pow_Tensor_Tensor : TensorIteratorBase {
  void meta(const Tensor& self, const Tensor& exponent);
};
struct structured_pow_Tensor_Tensor_out : structured_pow_Tensor_Tensor {
  void impl(const Tensor& self, const Tensor& exponent, const Tensor& out);
};

struct structured_pow_Scalar : TensorIteratorBase {
  void meta(const Scalar& self, const Tensor& exponent);
};
struct structured_pow_Scalar_out : structured_pow_Scalar {
  void impl(const Scalar& self, const Tensor& exponent, const Tensor& out);
};

}  // namespace tensorlib::native
