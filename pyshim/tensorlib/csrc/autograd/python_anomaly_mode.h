// Anomaly mode, for Python: nodes remember the Python stack that made them.
#pragma once

#include <Python.h>

namespace tensorlib::autograd {

bool THPAnomalyMode_initModule(PyObject* module);

}  // namespace tensorlib::autograd
