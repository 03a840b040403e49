// tensorlib.Generator: the default random generator as a Python object.
#pragma once

#include <Python.h>

namespace tensorlib {

/// Adds the type and `default_generator` to the module.
bool THPGenerator_initModule(PyObject* module);

}  // namespace tensorlib
