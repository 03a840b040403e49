// The extension module tensorlib._C.
#include <Python.h>

#include "DType.h"
#include "Exceptions.h"
#include "Generator.h"
#include "Size.h"
#include "disable_torch_function.h"
#include "native/DispatchStub.h"
#include "ops/Registration.h"
#include "python_torch_functions.h"
#include "python_variable.h"

namespace tensorlib {

namespace {

PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT, "tensorlib._C", "The engine, as Python sees it.", -1, torch_functions, nullptr, nullptr, nullptr, nullptr};

bool warn_about_capability() {
  const std::string complaint = native::cpu_capability_complaint();
  return complaint.empty() || PyErr_WarnEx(PyExc_RuntimeWarning, complaint.c_str(), 1) == 0;
}

bool fill_module(PyObject* module) {
  HANDLE_TH_ERRORS
  dispatcher();
  return PyModule_AddFunctions(module, torch_function_methods) == 0 && THPDtype_initModule(module) && THPSize_initModule(module) &&
         THPGenerator_initModule(module) && THPVariable_initModule(module) && warn_about_capability();
  END_HANDLE_TH_ERRORS_RET(false)
}

}  // namespace

}  // namespace tensorlib

PyMODINIT_FUNC PyInit__C() {
  PyObject* module = PyModule_Create(&tensorlib::module_definition);
  if (module && !tensorlib::fill_module(module)) Py_CLEAR(module);
  return module;
}
