// Tensors from nothing.
#pragma once

#include <optional>

#include "core/Scalar.h"
#include "core/Tensor.h"

namespace tensorlib::native {

/// Every element `value`, converted once.
Tensor full(IntArrayRef sizes, const Scalar& value, ScalarType dtype);
/// Standard normal numbers of the default generator: for a seed, PyTorch's bits.
Tensor randn(IntArrayRef sizes, std::optional<ScalarType> dtype);

}  // namespace tensorlib::native
