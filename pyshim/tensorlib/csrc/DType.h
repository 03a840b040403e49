// tensorlib.dtype: float32 and float64 as Python objects, one each.
#pragma once

#include <Python.h>

#include "core/ScalarType.h"

namespace tensorlib {

bool THPDtype_Check(PyObject* object);
ScalarType THPDtype_Unpack(PyObject* object);
/// A new reference to the object of a type.
PyObject* THPDtype_New(ScalarType type);
bool THPDtype_initModule(PyObject* module);

}  // namespace tensorlib
