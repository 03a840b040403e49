// tensorlib.dtype: the element types as Python objects, one each.
#pragma once

#include <Python.h>

#include "core/ScalarType.h"

namespace tensorlib {

bool THPDtype_Check(PyObject* object);
/// Python's float, int and bool name a type as well: float64, int64, bool.
bool THPPythonScalarType_Check(PyObject* object);
ScalarType THPDtype_Unpack(PyObject* object);
/// Of a dtype or of one of Python's types.
ScalarType THPDtype_UnpackAny(PyObject* object);
/// A new reference to the object of a type.
PyObject* THPDtype_New(ScalarType type);
bool THPDtype_initModule(PyObject* module);

/// "cpu" is the one device: a str or a tensorlib.device.
bool THPDevice_Check(PyObject* object);
/// A new reference to tensorlib.device("cpu").
PyObject* THPDevice_New();
/// Raises RuntimeError for a device that is not there.
void check_device(PyObject* object);

}  // namespace tensorlib
