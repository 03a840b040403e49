// Whether a call has arguments that want to handle it themselves (__torch_function__).
#pragma once

#include <Python.h>

namespace tensorlib {
extern PyMethodDef torch_function_methods[];
}
