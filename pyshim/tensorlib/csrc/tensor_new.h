// Tensors from Python data.
#pragma once

#include <Python.h>

#include "core/Tensor.h"

namespace tensorlib {

/// tensorlib.tensor(data): numbers, nested sequences of them, arrays, tensors, always copied. Without a dtype (Undefined) the data decides:
/// bool, int64, the default dtype for floats, else what NumPy scalars and arrays have. Raises TypeError, ValueError (ragged).
Tensor tensor_from_data(PyObject* data, ScalarType dtype);
/// tensorlib.as_tensor(data): tensors and arrays of the right type are not copied.
Tensor as_tensor(PyObject* data, ScalarType dtype);
/// The type that tensor_from_data would choose.
ScalarType infer_scalar_type(PyObject* data);
/// tensorlib.Tensor(...): nothing, sizes, a tensor or data; of the default type.
Tensor legacy_tensor_new(PyObject* args, PyObject* kwargs);
/// tensorlib.frombuffer.
Tensor tensor_frombuffer(PyObject* buffer, ScalarType dtype, std::int64_t count, std::int64_t offset);

}  // namespace tensorlib
