#include "DType.h"

#include <string>

#include "Exceptions.h"
#include "core/Exception.h"
#include "gil.h"

namespace tensorlib {

namespace {

struct THPDtype {
  PyObject_HEAD ScalarType type;
};

PyObject* dtype_objects[numScalarTypes] = {};

PyObject* THPDtype_repr(PyObject* self) { return PyUnicode_FromFormat("tensorlib.%s", pythonName(THPDtype_Unpack(self))); }
PyObject* THPDtype_reduce(PyObject* self, PyObject*) { return PyUnicode_FromString(pythonName(THPDtype_Unpack(self))); }
PyObject* get_itemsize(PyObject* self, void*) { return PyLong_FromSize_t(elementSize(THPDtype_Unpack(self))); }
PyObject* get_is_floating_point(PyObject* self, void*) { return PyBool_FromLong(isFloatingType(THPDtype_Unpack(self))); }
PyObject* get_is_signed(PyObject* self, void*) { return PyBool_FromLong(isSignedType(THPDtype_Unpack(self))); }
PyObject* get_is_complex(PyObject*, void*) { Py_RETURN_FALSE; }

PyMethodDef methods[] = {{"__reduce__", THPDtype_reduce, METH_NOARGS, nullptr}, {}};
PyGetSetDef properties[] = {
    {"itemsize", get_itemsize, nullptr, "Bytes of one element.", nullptr},
    {"is_floating_point", get_is_floating_point, nullptr, "Whether elements are floating-point numbers.", nullptr},
    {"is_complex", get_is_complex, nullptr, "False: there are no complex numbers here.", nullptr},
    {"is_signed", get_is_signed, nullptr, "Whether elements can be negative.", nullptr},
    {},
};
PyTypeObject THPDtypeType = {PyVarObject_HEAD_INIT(nullptr, 0)};

struct Alias {
  ScalarType type;
  const char* name;
};
constexpr Alias aliases[] = {
    {ScalarType::Float, "float"}, {ScalarType::Double, "double"}, {ScalarType::Long, "long"},
    {ScalarType::Int, "int"},     {ScalarType::Short, "short"},
};

bool add_dtypes(PyObject* module) {
  for (int i = 0; i < numScalarTypes; ++i) {
    const auto type = static_cast<ScalarType>(i);
    PyObject* object = THPDtypeType.tp_alloc(&THPDtypeType, 0);
    if (!object) return false;
    reinterpret_cast<THPDtype*>(object)->type = type;
    dtype_objects[i] = object;
    if (PyModule_AddObjectRef(module, pythonName(type), object) < 0) return false;
  }
  for (const Alias& alias : aliases) {
    if (PyModule_AddObjectRef(module, alias.name, dtype_objects[static_cast<int>(alias.type)]) < 0) return false;
  }
  return true;
}

// The device.

PyObject* cpu_device = nullptr;

PyObject* THPDevice_repr(PyObject*) { return PyUnicode_FromString("device(type='cpu')"); }
PyObject* THPDevice_str(PyObject*) { return PyUnicode_FromString("cpu"); }
PyObject* device_type(PyObject*, void*) { return PyUnicode_FromString("cpu"); }
PyObject* device_index(PyObject*, void*) { Py_RETURN_NONE; }
PyObject* THPDevice_reduce(PyObject* self, PyObject*) { return Py_BuildValue("O(s)", reinterpret_cast<PyObject*>(Py_TYPE(self)), "cpu"); }
PyObject* THPDevice_pynew(PyTypeObject*, PyObject* args, PyObject*) {
  HANDLE_TH_ERRORS
  PyObject* name = nullptr;
  if (!PyArg_ParseTuple(args, "O", &name)) return nullptr;
  if (!THPDevice_Check(name)) throw TypeError(std::string("device(): argument 'type' must be str, not ") + Py_TYPE(name)->tp_name);
  check_device(name);
  return Py_NewRef(cpu_device);
  END_HANDLE_TH_ERRORS
}

PyMethodDef device_methods[] = {{"__reduce__", THPDevice_reduce, METH_NOARGS, nullptr}, {}};
PyGetSetDef device_properties[] = {
    {"type", device_type, nullptr, "\"cpu\".", nullptr},
    {"index", device_index, nullptr, "None.", nullptr},
    {},
};
PyTypeObject THPDeviceType = {PyVarObject_HEAD_INIT(nullptr, 0)};

bool add_device(PyObject* module) {
  THPDeviceType.tp_name = "tensorlib.device";
  THPDeviceType.tp_doc = "Where a tensor's memory is: there is only tensorlib.device('cpu').";
  THPDeviceType.tp_basicsize = sizeof(PyObject);
  THPDeviceType.tp_flags = Py_TPFLAGS_DEFAULT;
  THPDeviceType.tp_repr = THPDevice_repr;
  THPDeviceType.tp_str = THPDevice_str;
  THPDeviceType.tp_new = THPDevice_pynew;
  THPDeviceType.tp_methods = device_methods;
  THPDeviceType.tp_getset = device_properties;
  if (PyType_Ready(&THPDeviceType) < 0) return false;
  cpu_device = THPDeviceType.tp_alloc(&THPDeviceType, 0);
  return cpu_device && PyModule_AddObjectRef(module, "device", reinterpret_cast<PyObject*>(&THPDeviceType)) == 0;
}

}  // namespace

bool THPDtype_Check(PyObject* object) { return Py_IS_TYPE(object, &THPDtypeType); }

bool THPPythonScalarType_Check(PyObject* object) {
  return object == reinterpret_cast<PyObject*>(&PyFloat_Type) || object == reinterpret_cast<PyObject*>(&PyLong_Type) ||
         object == reinterpret_cast<PyObject*>(&PyBool_Type);
}

ScalarType THPDtype_Unpack(PyObject* object) { return reinterpret_cast<THPDtype*>(object)->type; }

ScalarType THPDtype_UnpackAny(PyObject* object) {
  if (THPDtype_Check(object)) return THPDtype_Unpack(object);
  if (object == reinterpret_cast<PyObject*>(&PyFloat_Type)) return ScalarType::Double;
  return object == reinterpret_cast<PyObject*>(&PyBool_Type) ? ScalarType::Bool : ScalarType::Long;
}

PyObject* THPDtype_New(ScalarType type) { return Py_NewRef(dtype_objects[static_cast<int>(type)]); }

bool THPDtype_initModule(PyObject* module) {
  THPDtypeType.tp_name = "tensorlib.dtype";
  THPDtypeType.tp_doc = "An element type: tensorlib.float32, tensorlib.int64 and so on.";
  THPDtypeType.tp_basicsize = sizeof(THPDtype);
  THPDtypeType.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  THPDtypeType.tp_repr = THPDtype_repr;
  THPDtypeType.tp_methods = methods;
  THPDtypeType.tp_getset = properties;
  if (PyType_Ready(&THPDtypeType) < 0) return false;
  return PyModule_AddObjectRef(module, "dtype", reinterpret_cast<PyObject*>(&THPDtypeType)) == 0 && add_dtypes(module) &&
         add_device(module);
}

bool THPDevice_Check(PyObject* object) { return Py_IS_TYPE(object, &THPDeviceType) || PyUnicode_Check(object); }

PyObject* THPDevice_New() { return Py_NewRef(cpu_device); }

void check_device(PyObject* object) {
  if (!PyUnicode_Check(object)) return;
  const char* name = PyUnicode_AsUTF8(object);
  if (!name) throw python_error();
  if (std::string_view(name) != "cpu" && std::string_view(name) != "cpu:0") {
    raise("there is no device '" + std::string(name) + "' here: tensorlib computes on 'cpu' only");
  }
}

}  // namespace tensorlib
