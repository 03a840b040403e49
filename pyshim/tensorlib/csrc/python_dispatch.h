// What Python asks of the dispatcher itself: tensorlib._C._dispatch_*, _explain_dispatch.
#pragma once

#include <Python.h>

namespace tensorlib {
extern PyMethodDef dispatch_functions[];
}
