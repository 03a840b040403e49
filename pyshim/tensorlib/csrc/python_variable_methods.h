// Methods that the operators' slots and tensorlib.pow share.
#pragma once

#include <Python.h>

#include "core/Tensor.h"

namespace tensorlib {

/// The elements as nested Python lists, or a Python number for a 0-dim tensor. Null with a Python error.
PyObject* tensor_to_list(const Tensor& self);

}  // namespace tensorlib
