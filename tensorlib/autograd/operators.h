// Tensor arithmetic as formulas write it. Each goes through the dispatcher.
#pragma once

#include "core/Scalar.h"
#include "core/Tensor.h"
#include "ops/Functions.h"

namespace tensorlib::autograd {

inline Tensor operator-(const Tensor& a) { return at::neg(a); }

#define TENSORLIB_BINARY_OPERATOR(OP, FUNCTION)                                                                 \
  inline Tensor operator OP(const Tensor& a, const Tensor& b) { return FUNCTION(a, b); }                        \
  inline Tensor operator OP(const Tensor& a, const Scalar& b) { return FUNCTION(a, wrapped_scalar_tensor(b)); } \
  inline Tensor operator OP(const Scalar& a, const Tensor& b) { return FUNCTION(wrapped_scalar_tensor(a), b); }

TENSORLIB_BINARY_OPERATOR(+, at::add)
TENSORLIB_BINARY_OPERATOR(-, at::sub)
TENSORLIB_BINARY_OPERATOR(*, at::mul)
TENSORLIB_BINARY_OPERATOR(/, at::div)
TENSORLIB_BINARY_OPERATOR(==, at::eq)
TENSORLIB_BINARY_OPERATOR(>=, at::ge)
TENSORLIB_BINARY_OPERATOR(<=, at::le)
TENSORLIB_BINARY_OPERATOR(>, at::gt)
TENSORLIB_BINARY_OPERATOR(<, at::lt)

#undef TENSORLIB_BINARY_OPERATOR

}  // namespace tensorlib::autograd
