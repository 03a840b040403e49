// Operators of two tensors: stubs of their kernels.
#pragma once

#include "core/Scalar.h"
#include "native/DispatchStub.h"
#include "native/TensorIterator.h"

namespace tensorlib::native {

using structured_binary_fn = void (*)(TensorIteratorBase&);
using structured_binary_fn_alpha = void (*)(TensorIteratorBase&, const Scalar& alpha);
using binary_fn_double = void (*)(TensorIteratorBase&, double);

/// out = a + alpha * b; sub is this with -alpha.
DECLARE_DISPATCH(structured_binary_fn_alpha, add_stub);
DECLARE_DISPATCH(structured_binary_fn, mul_stub);
DECLARE_DISPATCH(structured_binary_fn, div_true_stub);
DECLARE_DISPATCH(structured_binary_fn, div_floor_stub);
DECLARE_DISPATCH(structured_binary_fn, div_trunc_stub);
DECLARE_DISPATCH(structured_binary_fn, remainder_stub);
DECLARE_DISPATCH(structured_binary_fn, fmod_stub);
DECLARE_DISPATCH(structured_binary_fn, maximum_stub);
DECLARE_DISPATCH(structured_binary_fn, minimum_stub);
DECLARE_DISPATCH(structured_binary_fn, bitwise_and_stub);
DECLARE_DISPATCH(structured_binary_fn, bitwise_or_stub);
DECLARE_DISPATCH(structured_binary_fn, bitwise_xor_stub);
DECLARE_DISPATCH(structured_binary_fn, logical_and_stub);
DECLARE_DISPATCH(structured_binary_fn, logical_or_stub);
DECLARE_DISPATCH(structured_binary_fn, logical_xor_stub);
DECLARE_DISPATCH(structured_binary_fn, eq_stub);
DECLARE_DISPATCH(structured_binary_fn, ne_stub);
DECLARE_DISPATCH(structured_binary_fn, lt_stub);
DECLARE_DISPATCH(structured_binary_fn, le_stub);
DECLARE_DISPATCH(structured_binary_fn, gt_stub);
DECLARE_DISPATCH(structured_binary_fn, ge_stub);
/// grad where x > threshold, else 0.
DECLARE_DISPATCH(structured_binary_fn_alpha, threshold_backward_stub);
DECLARE_DISPATCH(structured_binary_fn, tanh_backward_stub);
DECLARE_DISPATCH(structured_binary_fn, sigmoid_backward_stub);
/// RuntimeError "ZeroDivisionError", as PyTorch's integer division gives it; for kernels.
[[noreturn]] void raise_division_by_zero();
/// (a - b)^2.
DECLARE_DISPATCH(structured_binary_fn, mse_stub);
/// norm * (a - b) * grad, operands grad last.
DECLARE_DISPATCH(binary_fn_double, mse_backward_stub);

}  // namespace tensorlib::native
