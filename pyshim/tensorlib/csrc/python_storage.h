// What tensorlib/storage.py needs of the memory behind tensors.
#pragma once

#include <Python.h>

namespace tensorlib {
bool storage_initModule(PyObject* module);
}
