// Whether a call has arguments that want to handle it themselves (__torch_function__), and how that is switched off.
#pragma once

#include <Python.h>

#include "python_variable.h"

namespace tensorlib {

/// Whether this thread asks overriding types at all; DisableTorchFunctionSubclass clears it.
bool torch_function_enabled();
bool check_has_torch_function_slow(PyObject* object);

/// Whether the object's type overrides: it is neither tensorlib.Tensor nor a type of Python's own, and its __torch_function__ is not
/// the one that says no (_C._disabled_torch_function_impl). Never leaves a Python error behind.
inline bool check_has_torch_function(PyObject* object) {
  return !THPVariable_CheckExact(object) && !PyLong_CheckExact(object) && !PyFloat_CheckExact(object) &&
         check_has_torch_function_slow(object);
}

/// Adds _has_torch_function and its like, _disabled_torch_function_impl and DisableTorchFunctionSubclass to the module.
bool torch_function_initModule(PyObject* module);

}  // namespace tensorlib
