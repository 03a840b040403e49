// Backward, for Python.
#pragma once

#include <Python.h>

#include "autograd/function_hook.h"

namespace tensorlib::autograd {

/// A tuple of tensors, None where one is undefined. A new reference, or null with a Python error.
PyObject* THPVariable_WrapList(const variable_list& tensors);

bool THPEngine_initModule(PyObject* module);

}  // namespace tensorlib::autograd
