#include "autograd/init.h"

#include "autograd/python_anomaly_mode.h"
#include "autograd/python_cpp_function.h"
#include "autograd/python_engine.h"
#include "autograd/python_function.h"
#include "autograd/python_variable_autograd.h"

namespace tensorlib::autograd {

bool THPAutograd_initModule(PyObject* module) {
  return THPCppFunction_initModule(module) && THPEngine_initModule(module) && THPFunction_initModule(module) &&
         THPAnomalyMode_initModule(module) && THPVariable_initAutograd();
}

}  // namespace tensorlib::autograd
