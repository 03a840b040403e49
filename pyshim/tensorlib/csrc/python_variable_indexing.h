// tensor[...] and tensor[...] = value.
#pragma once

#include <Python.h>

namespace tensorlib {
PyObject* THPVariable_getitem(PyObject* self, PyObject* index);
/// `value` is null for `del`.
int THPVariable_setitem(PyObject* self, PyObject* index, PyObject* value);
Py_ssize_t THPVariable_length(PyObject* self);
}  // namespace tensorlib
