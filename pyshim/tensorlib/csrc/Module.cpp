// The extension module tensorlib._C.
#include <Python.h>

#include "DType.h"
#include "Exceptions.h"
#include "Generator.h"
#include "Size.h"
#include "TypeInfo.h"
#include "core/Warning.h"
#include "autograd/init.h"
#include "disable_torch_function.h"
#include "native/DispatchStub.h"
#include "not_implemented.h"
#include "ops/Registration.h"
#include "python_dispatch.h"
#include "python_operators.h"
#include "python_storage.h"
#include "python_torch_functions.h"
#include "python_variable.h"

namespace tensorlib {

namespace {

PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT, "tensorlib._C", "The engine, as Python sees it.", -1, torch_functions, nullptr, nullptr, nullptr, nullptr};

/// The engine's warnings as Python's. It warns from wherever it is, so the GIL is taken for it.
void show_warning(const std::string& message) {
  const PyGILState_STATE state = PyGILState_Ensure();
  const bool error = PyErr_WarnEx(PyExc_UserWarning, message.c_str(), 1) < 0;
  PyGILState_Release(state);
  if (error) throw python_error();
}

bool warn_about_capability() {
  const std::string complaint = native::cpu_capability_complaint();
  return complaint.empty() || PyErr_WarnEx(PyExc_RuntimeWarning, complaint.c_str(), 1) == 0;
}

PyTypeObject VariableFunctionsType = {PyVarObject_HEAD_INIT(nullptr, 0)};

/// Operators are static methods of a class, as in PyTorch; the module has them too.
bool add_operators(PyObject* module) {
  VariableFunctionsType.tp_name = "tensorlib._C._VariableFunctions";
  VariableFunctionsType.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  static std::vector<PyMethodDef> operators = torch_operators();
  VariableFunctionsType.tp_methods = operators.data();
  if (PyType_Ready(&VariableFunctionsType) < 0) return false;
  THPVariableFunctionsModule = reinterpret_cast<PyObject*>(&VariableFunctionsType);
  for (const char* name : {"tensor", "as_tensor", "frombuffer"}) {
    PyObject* function = PyObject_GetAttrString(module, name);
    if (!function || PyDict_SetItemString(VariableFunctionsType.tp_dict, name, function) < 0) return false;
    Py_DECREF(function);
  }
  return PyModule_AddObjectRef(module, "_VariableFunctions", THPVariableFunctionsModule) == 0;
}

bool fill_module(PyObject* module) {
  HANDLE_TH_ERRORS
  dispatcher();
  set_warning_handler(show_warning);
  return torch_function_initModule(module) && not_implemented_initModule(module) && storage_initModule(module) &&
         THPDtype_initModule(module) && THPTypeInfo_initModule(module) && THPSize_initModule(module) && THPGenerator_initModule(module) &&
         THPVariable_initModule(module) && autograd::THPAutograd_initModule(module) && add_operators(module) && warn_about_capability();
  END_HANDLE_TH_ERRORS_RET(false)
}

}  // namespace

}  // namespace tensorlib

PyMODINIT_FUNC PyInit__C() {
  PyObject* module = PyModule_Create(&tensorlib::module_definition);
  if (module && (!tensorlib::fill_module(module) || PyModule_AddFunctions(module, tensorlib::dispatch_functions) < 0)) Py_CLEAR(module);
  return module;
}
