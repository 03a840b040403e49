// tensorlib.Size: a tuple of sizes that says what it is.
#pragma once

#include <Python.h>

#include "core/SmallVector.h"

namespace tensorlib {

bool THPSize_Check(PyObject* object);
PyObject* THPSize_New(IntArrayRef sizes);
bool THPSize_initModule(PyObject* module);

}  // namespace tensorlib
