#include "disable_torch_function.h"

#include "gil.h"
#include "python_variable.h"

namespace tensorlib {

namespace {

thread_local bool torch_function_enabled = true;

/// Types that are asked most: numbers, strings, containers. None of them overrides.
bool is_basic_python_type(PyTypeObject* type) {
  return type == &PyLong_Type || type == &PyFloat_Type || type == &PyBool_Type || type == &PyUnicode_Type || type == &PyTuple_Type ||
         type == &PyList_Type || type == &PySlice_Type || type == Py_TYPE(Py_None);
}

/// 1 if the argument's type is one of the user's that has __torch_function__, 0 if not, -1 with a Python error.
int overrides(PyObject* argument) {
  PyTypeObject* type = Py_TYPE(argument);
  if (is_basic_python_type(type) || reinterpret_cast<PyObject*>(type) == THPVariableClass || type == &THPVariableType) return 0;
  static PyObject* const name = PyUnicode_InternFromString("__torch_function__");
  PyObject* found = nullptr;
  const int result = _PyObject_LookupAttr(reinterpret_cast<PyObject*>(type), name, &found);
  Py_XDECREF(found);
  return result;
}

PyObject* has_torch_function(PyObject*, PyObject* arguments) {
  if (!torch_function_enabled) Py_RETURN_FALSE;
  const THPObjectPtr sequence(PySequence_Fast(arguments, "expected a sequence"));
  if (!sequence) return nullptr;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence.get()); ++i) {
    const int result = overrides(PySequence_Fast_GET_ITEM(sequence.get(), i));
    if (result < 0) return nullptr;
    if (result > 0) Py_RETURN_TRUE;
  }
  Py_RETURN_FALSE;
}

PyObject* set_torch_function_enabled(PyObject*, PyObject* enabled) {
  const bool previous = torch_function_enabled;
  torch_function_enabled = PyObject_IsTrue(enabled) == 1;
  return PyBool_FromLong(previous);
}

}  // namespace

PyMethodDef torch_function_methods[] = {
    {"_has_torch_function", has_torch_function, METH_O, "Whether one of the arguments' types overrides the call."},
    {"_set_torch_function_enabled", set_torch_function_enabled, METH_O, "Switches overriding on this thread; returns what it was."},
    {},
};

}  // namespace tensorlib
