#include "TypeInfo.h"

#include <limits>
#include <string>

#include "DType.h"
#include "Exceptions.h"
#include "core/Exception.h"
#include "core/Tensor.h"
#include "python_arg_parser.h"

namespace tensorlib {

namespace {

struct THPDTypeInfo {
  PyObject_HEAD ScalarType type;
};

PyTypeObject THPFInfoType = {PyVarObject_HEAD_INIT(nullptr, 0)};
PyTypeObject THPIInfoType = {PyVarObject_HEAD_INIT(nullptr, 0)};

ScalarType type_of(PyObject* self) { return reinterpret_cast<THPDTypeInfo*>(self)->type; }

PyObject* make(PyTypeObject* type, ScalarType of) {
  PyObject* self = type->tp_alloc(type, 0);
  if (self) reinterpret_cast<THPDTypeInfo*>(self)->type = of;
  return self;
}

PyObject* THPFInfo_pynew(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"finfo(ScalarType type)", "finfo()"});
  ParsedArgs<1> parsed_args;
  const PythonArgs r = parser.parse(nullptr, args, kwargs, parsed_args);
  const ScalarType of = r.idx == 0 ? r.scalartype(0) : get_default_dtype();
  if (!isFloatingType(of)) {
    throw TypeError("tensorlib.finfo() requires a floating point input type. Use tensorlib.iinfo to handle 'tensorlib." +
                    std::string(pythonName(of)) + "'");
  }
  return make(type, of);
  END_HANDLE_TH_ERRORS
}

PyObject* THPIInfo_pynew(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"iinfo(ScalarType type)"});
  ParsedArgs<1> parsed_args;
  const ScalarType of = parser.parse(nullptr, args, kwargs, parsed_args).scalartype(0);
  if (!isIntegralType(of, /*includeBool=*/false)) {
    throw TypeError("tensorlib.iinfo() requires an integer input type. Use tensorlib.finfo to handle 'tensorlib." +
                    std::string(pythonName(of)) + "'");
  }
  return make(type, of);
  END_HANDLE_TH_ERRORS
}

template <template <typename> typename Limit>
PyObject* floating(PyObject* self, void*) {
  return PyFloat_FromDouble(type_of(self) == ScalarType::Double ? Limit<double>::value() : static_cast<double>(Limit<float>::value()));
}

template <typename T>
struct Max {
  static T value() { return std::numeric_limits<T>::max(); }
};
template <typename T>
struct Lowest {
  static T value() { return std::numeric_limits<T>::lowest(); }
};
template <typename T>
struct Epsilon {
  static T value() { return std::numeric_limits<T>::epsilon(); }
};
template <typename T>
struct Normal {
  static T value() { return std::numeric_limits<T>::min(); }
};

PyObject* resolution(PyObject* self, void*) { return PyFloat_FromDouble(type_of(self) == ScalarType::Double ? 1e-15 : 1e-6); }
PyObject* bits(PyObject* self, void*) { return PyLong_FromSize_t(elementSize(type_of(self)) * 8); }
PyObject* dtype_name(PyObject* self, void*) { return PyUnicode_FromString(pythonName(type_of(self))); }

int bits_of(PyObject* self) { return static_cast<int>(elementSize(type_of(self))) * 8; }
PyObject* integer_max(PyObject* self, void*) {
  if (type_of(self) == ScalarType::Byte) return PyLong_FromLong(255);
  return PyLong_FromLongLong(static_cast<long long>((std::uint64_t{1} << (bits_of(self) - 1)) - 1));
}
PyObject* integer_min(PyObject* self, void*) {
  if (type_of(self) == ScalarType::Byte) return PyLong_FromLong(0);
  return PyLong_FromLongLong(static_cast<long long>(~((std::uint64_t{1} << (bits_of(self) - 1)) - 1)));
}

PyObject* THPDTypeInfo_compare(PyObject* a, PyObject* b, int op) {
  if (Py_TYPE(a) != Py_TYPE(b) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((type_of(a) == type_of(b)) == (op == Py_EQ));
}

PyGetSetDef finfo_properties[] = {
    {"bits", bits, nullptr, "Bits of one element.", nullptr},
    {"eps", floating<Epsilon>, nullptr, "The step from 1 to the next number.", nullptr},
    {"max", floating<Max>, nullptr, "The largest number.", nullptr},
    {"min", floating<Lowest>, nullptr, "The smallest: -max.", nullptr},
    {"smallest_normal", floating<Normal>, nullptr, "The smallest positive number with all its digits.", nullptr},
    {"tiny", floating<Normal>, nullptr, "The same.", nullptr},
    {"resolution", resolution, nullptr, "What a decimal with this many digits is certain to keep.", nullptr},
    {"dtype", dtype_name, nullptr, "The type's name.", nullptr},
    {},
};
PyGetSetDef iinfo_properties[] = {
    {"bits", bits, nullptr, "Bits of one element.", nullptr},
    {"max", integer_max, nullptr, "The largest number.", nullptr},
    {"min", integer_min, nullptr, "The smallest number.", nullptr},
    {"dtype", dtype_name, nullptr, "The type's name.", nullptr},
    {},
};

/// "max=3.40282e+38", as C++ streams print numbers.
std::string shown(PyObject* self, const char* name) {
  PyObject* value = PyObject_GetAttrString(self, name);
  if (!value) throw python_error();
  char text[64];
  std::snprintf(text, sizeof text, "%s=%g", name, PyFloat_AsDouble(value));  // integers too, as in PyTorch
  Py_DECREF(value);
  return text;
}

PyObject* THPDTypeInfo_repr(PyObject* self) {
  HANDLE_TH_ERRORS
  const bool floats = isFloatingType(type_of(self));
  std::string text = floats ? "finfo(" + shown(self, "resolution") + ", " : "iinfo(";
  text += shown(self, "min") + ", " + shown(self, "max");
  if (floats) text += ", " + shown(self, "eps") + ", " + shown(self, "smallest_normal") + ", " + shown(self, "tiny");
  return PyUnicode_FromFormat("%s, dtype=%s)", text.c_str(), pythonName(type_of(self)));
  END_HANDLE_TH_ERRORS
}

bool add(PyObject* module, PyTypeObject& type, const char* name, newfunc make_one, PyGetSetDef* properties, const char* doc) {
  type.tp_name = name;
  type.tp_doc = doc;
  type.tp_basicsize = sizeof(THPDTypeInfo);
  type.tp_flags = Py_TPFLAGS_DEFAULT;
  type.tp_new = make_one;
  type.tp_getset = properties;
  type.tp_repr = THPDTypeInfo_repr;
  type.tp_richcompare = THPDTypeInfo_compare;
  type.tp_hash = PyObject_HashNotImplemented;
  return PyType_Ready(&type) == 0 &&
         PyModule_AddObjectRef(module, std::string(name).substr(10).c_str(), reinterpret_cast<PyObject*>(&type)) == 0;
}

}  // namespace

bool THPTypeInfo_initModule(PyObject* module) {
  return add(module, THPFInfoType, "tensorlib.finfo", THPFInfo_pynew, finfo_properties,
             "finfo(type): the limits of a floating-point type.") &&
         add(module, THPIInfoType, "tensorlib.iinfo", THPIInfo_pynew, iinfo_properties, "iinfo(type): the limits of an integer type.");
}

}  // namespace tensorlib
