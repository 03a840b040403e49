#include "DType.h"

namespace tensorlib {

namespace {

struct THPDtype {
  PyObject_HEAD ScalarType type;
};

PyObject* float32_object = nullptr;
PyObject* float64_object = nullptr;

ScalarType unpack(PyObject* self) { return reinterpret_cast<THPDtype*>(self)->type; }

PyObject* THPDtype_repr(PyObject* self) { return PyUnicode_FromFormat("tensorlib.%s", pythonName(unpack(self))); }
PyObject* THPDtype_reduce(PyObject* self, PyObject*) { return PyUnicode_FromString(pythonName(unpack(self))); }
PyObject* get_itemsize(PyObject* self, void*) { return PyLong_FromSize_t(elementSize(unpack(self))); }
PyObject* get_is_floating_point(PyObject*, void*) { Py_RETURN_TRUE; }

PyMethodDef methods[] = {{"__reduce__", THPDtype_reduce, METH_NOARGS, nullptr}, {}};
PyGetSetDef properties[] = {
    {"itemsize", get_itemsize, nullptr, "Bytes of one element.", nullptr},
    {"is_floating_point", get_is_floating_point, nullptr, "Whether elements are floating-point numbers.", nullptr},
    {},
};
PyTypeObject THPDtypeType = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyObject* add_dtype(PyObject* module, ScalarType type, const char* alias) {
  PyObject* object = THPDtypeType.tp_alloc(&THPDtypeType, 0);
  if (!object) return nullptr;
  reinterpret_cast<THPDtype*>(object)->type = type;
  if (PyModule_AddObjectRef(module, pythonName(type), object) < 0 || PyModule_AddObjectRef(module, alias, object) < 0) return nullptr;
  return object;
}

}  // namespace

bool THPDtype_Check(PyObject* object) { return Py_IS_TYPE(object, &THPDtypeType); }
ScalarType THPDtype_Unpack(PyObject* object) { return unpack(object); }
PyObject* THPDtype_New(ScalarType type) { return Py_NewRef(type == ScalarType::Double ? float64_object : float32_object); }

bool THPDtype_initModule(PyObject* module) {
  THPDtypeType.tp_name = "tensorlib.dtype";
  THPDtypeType.tp_doc = "An element type: tensorlib.float32, tensorlib.float64.";
  THPDtypeType.tp_basicsize = sizeof(THPDtype);
  THPDtypeType.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  THPDtypeType.tp_repr = THPDtype_repr;
  THPDtypeType.tp_methods = methods;
  THPDtypeType.tp_getset = properties;
  if (PyType_Ready(&THPDtypeType) < 0) return false;
  if (PyModule_AddObjectRef(module, "dtype", reinterpret_cast<PyObject*>(&THPDtypeType)) < 0) return false;
  float32_object = add_dtype(module, ScalarType::Float, "float");
  float64_object = add_dtype(module, ScalarType::Double, "double");
  return float32_object && float64_object;
}

}  // namespace tensorlib
