// The functions of the module: tensorlib.randn, tensorlib.pow, ...
#pragma once

#include <Python.h>

namespace tensorlib {
extern PyMethodDef torch_functions[];
}
