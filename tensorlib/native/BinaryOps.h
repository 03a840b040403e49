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

struct structured_add_Tensor : TensorIteratorBase {
  void meta(const Tensor& self, const Tensor& other, const Scalar& alpha);
};
struct structured_add_out : structured_add_Tensor {
  void impl(const Tensor& self, const Tensor& other, const Scalar& alpha, const Tensor& out);
};

struct structured_sub_Tensor : TensorIteratorBase {
  void meta(const Tensor& self, const Tensor& other, const Scalar& alpha);
};
struct structured_sub_out : structured_sub_Tensor {
  void impl(const Tensor& self, const Tensor& other, const Scalar& alpha, const Tensor& out);
};

struct structured_mul_Tensor : TensorIteratorBase {
  void meta(const Tensor& self, const Tensor& other);
};
struct structured_mul_out : structured_mul_Tensor {
  void impl(const Tensor& self, const Tensor& other, const Tensor& out);
};

}  // namespace tensorlib::native
