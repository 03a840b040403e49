// What the extension module has of autograd.
#pragma once

#include <Python.h>

namespace tensorlib::autograd {

/// Adds types and functions. The tensor type must be ready.
bool THPAutograd_initModule(PyObject* module);

}  // namespace tensorlib::autograd
