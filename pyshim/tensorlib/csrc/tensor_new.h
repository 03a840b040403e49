// Tensors from Python data.
#pragma once

#include <Python.h>

#include "core/Tensor.h"

namespace tensorlib {

/// Nested sequences of numbers as a tensor of `dtype`. Without one (Undefined): float32, and integers are refused,
/// because PyTorch would give int64. Raises TypeError and ValueError (ragged).
Tensor tensor_from_data(PyObject* data, ScalarType dtype);

}  // namespace tensorlib
