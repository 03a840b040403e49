#include "disable_torch_function.h"

#include "gil.h"
#include "python_variable.h"

namespace tensorlib {

namespace {

thread_local constinit bool enabled = true;
PyObject* disabled_torch_function = nullptr;

/// Types that are asked most: numbers, strings, containers. None of them overrides.
bool is_basic_python_type(PyTypeObject* type) {
  return type == &PyLong_Type || type == &PyFloat_Type || type == &PyBool_Type || type == &PyUnicode_Type || type == &PyTuple_Type ||
         type == &PyList_Type || type == &PyDict_Type || type == &PySlice_Type || type == &PySet_Type || type == &PyBytes_Type ||
         type == &PyComplex_Type || type == &PyEllipsis_Type || type == Py_TYPE(Py_None) || type == Py_TYPE(Py_NotImplemented) ||
         type == &PyModule_Type || type == &PyFunction_Type;
}

PyObject* torch_function_name() {
  static PyObject* const name = PyUnicode_InternFromString("__torch_function__");
  return name;
}

bool sequence_has_torch_function(PyObject* arguments) {
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(arguments); ++i) {
    if (check_has_torch_function(PySequence_Fast_GET_ITEM(arguments, i))) return true;
  }
  return false;
}

PyObject* has_torch_function(PyObject*, PyObject* arguments) {
  if (PyTuple_CheckExact(arguments) || PyList_CheckExact(arguments)) return PyBool_FromLong(sequence_has_torch_function(arguments));
  const THPObjectPtr sequence(PySequence_Fast(arguments, "expected a sequence"));
  return sequence ? PyBool_FromLong(sequence_has_torch_function(sequence.get())) : nullptr;
}

PyObject* has_torch_function_unary(PyObject*, PyObject* object) { return PyBool_FromLong(check_has_torch_function(object)); }

PyObject* has_torch_function_variadic(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (check_has_torch_function(arguments[i])) Py_RETURN_TRUE;
  }
  Py_RETURN_FALSE;
}

PyObject* is_enabled(PyObject*, PyObject*) { return PyBool_FromLong(enabled); }

class Disabled {
 public:
  Disabled() : previous_(enabled) { enabled = false; }
  ~Disabled() { enabled = previous_; }
  Disabled(const Disabled&) = delete;
  Disabled& operator=(const Disabled&) = delete;

 private:
  bool previous_;
};

/// A class whose __torch_function__ is this one has its tensors treated as plain ones: tensorlib.nn.Parameter.
PyObject* disabled_torch_function_impl(PyObject*, PyObject* args) {
  PyObject *function, *types, *arguments = nullptr, *keywords = nullptr;
  if (!PyArg_ParseTuple(args, "OO|OO", &function, &types, &arguments, &keywords)) return nullptr;
  const THPObjectPtr positional(arguments ? PySequence_Tuple(arguments) : PyTuple_New(0));
  if (!positional) return nullptr;
  const Disabled guard;
  return PyObject_Call(function, positional.get(), keywords == Py_None ? nullptr : keywords);
}

struct DisableTorchFunctionSubclass {
  PyObject_HEAD bool previous;
};

PyObject* enter(PyObject* self, PyObject*) {
  reinterpret_cast<DisableTorchFunctionSubclass*>(self)->previous = enabled;
  enabled = false;
  Py_RETURN_NONE;
}

PyObject* leave(PyObject* self, PyObject*) {
  enabled = reinterpret_cast<DisableTorchFunctionSubclass*>(self)->previous;
  Py_RETURN_NONE;
}

PyMethodDef context_methods[] = {{"__enter__", enter, METH_NOARGS, nullptr}, {"__exit__", leave, METH_VARARGS, nullptr}, {}};

PyTypeObject DisableTorchFunctionSubclassType = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyMethodDef functions[] = {
    {"_has_torch_function", has_torch_function, METH_O, "Whether one of the arguments' types overrides the call."},
    {"_has_torch_function_unary", has_torch_function_unary, METH_O, "Whether the argument's type overrides the call."},
    {"_has_torch_function_variadic", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(has_torch_function_variadic)),
     METH_FASTCALL, "Whether one of the arguments' types overrides the call."},
    {"_is_torch_function_enabled", is_enabled, METH_NOARGS, "Whether this thread asks overriding types."},
    {"_disabled_torch_function_impl", disabled_torch_function_impl, METH_VARARGS,
     "The __torch_function__ of classes that do not override."},
    {},
};

}  // namespace

bool torch_function_enabled() { return enabled; }

bool check_has_torch_function_slow(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (reinterpret_cast<PyObject*>(type) == THPVariableClass || is_basic_python_type(type) || type == &THPVariableType || !enabled)
    return false;
  PyObject* found = nullptr;
#if PY_VERSION_HEX >= 0x030d0000
  const int asked = PyObject_GetOptionalAttr(object, torch_function_name(), &found);
#else
  const int asked = _PyObject_LookupAttr(object, torch_function_name(), &found);
#endif
  if (asked < 0) PyErr_Clear();
  const THPObjectPtr attribute(found);
  return attribute && attribute.get() != disabled_torch_function;
}

bool torch_function_initModule(PyObject* module) {
  PyTypeObject& type = DisableTorchFunctionSubclassType;
  type.tp_name = "tensorlib._C.DisableTorchFunctionSubclass";
  type.tp_doc = "Within it, __torch_function__ is not asked on this thread.";
  type.tp_basicsize = sizeof(DisableTorchFunctionSubclass);
  type.tp_flags = Py_TPFLAGS_DEFAULT;
  type.tp_methods = context_methods;
  type.tp_new = PyType_GenericNew;
  if (PyType_Ready(&type) < 0 || PyModule_AddFunctions(module, functions) < 0) return false;
  disabled_torch_function = PyObject_GetAttrString(module, "_disabled_torch_function_impl");
  return disabled_torch_function && PyModule_AddObjectRef(module, "DisableTorchFunctionSubclass", reinterpret_cast<PyObject*>(&type)) == 0;
}

}  // namespace tensorlib
