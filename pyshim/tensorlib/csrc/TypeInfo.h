// tensorlib.finfo and tensorlib.iinfo: the limits of element types.
#pragma once

#include <Python.h>

namespace tensorlib {
bool THPTypeInfo_initModule(PyObject* module);
}
