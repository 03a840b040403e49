// Tensors from nothing.
#pragma once

#include <optional>

#include "core/Scalar.h"
#include "core/Tensor.h"

namespace tensorlib::native {

/// `dtype`, or the type that a tensor of the number has: int64, bool or get_default_dtype().
ScalarType infer_dtype(const Scalar& value, std::optional<ScalarType> dtype);

/// Every element `value`; raises where the type has no room for it.
Tensor full(IntArrayRef size, const Scalar& value, std::optional<ScalarType> dtype);
Tensor zeros(IntArrayRef size, std::optional<ScalarType> dtype);
Tensor ones(IntArrayRef size, std::optional<ScalarType> dtype);
/// Ones where the row is the column.
Tensor eye(std::int64_t n, std::optional<ScalarType> dtype);
Tensor eye(std::int64_t n, std::int64_t m, std::optional<ScalarType> dtype);

/// start, start + step, ... before end, each start + step * i rounded once. int64 if all are integers, else get_default_dtype().
Tensor arange(const Scalar& end, std::optional<ScalarType> dtype);
Tensor arange(const Scalar& start, const Scalar& end, std::optional<ScalarType> dtype);
Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, std::optional<ScalarType> dtype);
Tensor& arange_out(const Scalar& start, const Scalar& end, const Scalar& step, Tensor& out);
/// `steps` numbers from start to end, both included; the second half is counted from the end, so that it is hit exactly.
Tensor linspace(const Scalar& start, const Scalar& end, std::int64_t steps, std::optional<ScalarType> dtype);
Tensor& linspace_out(const Scalar& start, const Scalar& end, std::int64_t steps, Tensor& out);

/// Standard normal numbers of the default generator: for a seed, PyTorch's bits.
Tensor randn(IntArrayRef size, std::optional<ScalarType> dtype);

}  // namespace tensorlib::native
