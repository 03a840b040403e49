// The functions of the module: tensorlib.randn, tensorlib.pow, ...
#pragma once

#include <Python.h>

namespace tensorlib {

extern PyMethodDef torch_functions[];  // python_torch_functions.cpp: by hand

/// The class whose static methods they are: handle_torch_function finds the public function here.
extern PyObject* THPVariableFunctionsModule;

}  // namespace tensorlib
