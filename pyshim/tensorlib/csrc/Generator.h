// tensorlib.Generator: a random generator as a Python object.
#pragma once

#include <Python.h>

#include "core/CPUGenerator.h"

namespace tensorlib {

bool THPGenerator_Check(PyObject* object);
CPUGenerator& THPGenerator_Unpack(PyObject* object);
/// Adds the type and `default_generator` to the module.
bool THPGenerator_initModule(PyObject* module);

}  // namespace tensorlib
