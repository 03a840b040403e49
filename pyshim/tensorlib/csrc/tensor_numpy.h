// Arrays of NumPy and of whoever speaks its array interface, without NumPy: what an array says of itself in __array_struct__.
#pragma once

#include <Python.h>

#include "core/Tensor.h"

namespace tensorlib {

bool is_numpy_array(PyObject* object);
/// A NumPy scalar or 0-dim value: np.float32(2.5).
bool is_numpy_scalar(PyObject* object);
/// The memory of an array as a tensor, nothing copied; the array lives as long as the tensor's storage does. Raises TypeError for an
/// element type that tensors do not have, ValueError for negative strides, strides that are no multiple of the element, foreign byte order.
Tensor tensor_from_numpy(PyObject* array, bool warn_if_not_writable);
/// The dtype of an array or of a NumPy scalar. Raises TypeError if there is none.
ScalarType numpy_dtype_to_scalar_type(PyObject* object);
/// An array over the memory of the tensor. Raises TypeError when gradients are wanted, RuntimeError without NumPy.
PyObject* tensor_to_numpy(PyObject* self, bool force);

}  // namespace tensorlib
