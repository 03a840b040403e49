#include "python_numbers.h"

#include <cstring>

#include "Exceptions.h"
#include "gil.h"
#include "python_variable.h"

namespace tensorlib {

namespace {

/// Whether one of the object's classes has this name. NumPy's scalar classes have a fixed place: near the end, before object.
bool has_base(PyObject* object, const char* wanted) {
  PyTypeObject* type = Py_TYPE(object);
  if (type == &PyLong_Type || type == &PyFloat_Type || type == &PyBool_Type || !type->tp_mro) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
    if (std::strcmp(reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(type->tp_mro, i))->tp_name, wanted) == 0) return true;
  }
  return false;
}

}  // namespace

bool is_numpy_integer(PyObject* object) { return has_base(object, "numpy.integer"); }
bool is_numpy_floating(PyObject* object) { return has_base(object, "numpy.floating"); }
bool is_numpy_bool(PyObject* object) { return has_base(object, "numpy.bool_") || has_base(object, "numpy.bool"); }

bool THPUtils_checkLong(PyObject* object) {
  if (PyLong_CheckExact(object)) return true;
  if (PyBool_Check(object)) return false;
  return PyLong_Check(object) || is_numpy_integer(object);
}

bool THPUtils_checkIndex(PyObject* object) {
  if (PyLong_CheckExact(object)) return true;
  if (PyBool_Check(object) || THPVariable_Check(object) || !PyIndex_Check(object)) return false;
  const THPObjectPtr index(PyNumber_Index(object));
  if (!index) PyErr_Clear();
  return static_cast<bool>(index);
}

bool THPUtils_checkDouble(PyObject* object) {
  return PyLong_Check(object) || PyFloat_Check(object) || is_numpy_floating(object) || is_numpy_integer(object);
}

bool THPUtils_checkScalar(PyObject* object) { return THPUtils_checkDouble(object) || is_numpy_bool(object); }

std::int64_t THPUtils_unpackLong(PyObject* object) {
  const THPObjectPtr number(PyLong_CheckExact(object) ? Py_NewRef(object) : PyNumber_Index(object));
  if (!number) throw python_error();
  const long long value = PyLong_AsLongLong(number.get());
  if (value == -1 && PyErr_Occurred()) throw python_error();
  return value;
}

double THPUtils_unpackDouble(PyObject* object) {
  if (PyFloat_CheckExact(object)) return PyFloat_AS_DOUBLE(object);
  const double value = PyFloat_AsDouble(object);
  if (value == -1.0 && PyErr_Occurred()) throw python_error();
  return value;
}

Scalar unpack_scalar(PyObject* object) {
  if (PyLong_CheckExact(object)) return Scalar(THPUtils_unpackLong(object));
  if (PyFloat_Check(object)) return Scalar(PyFloat_AS_DOUBLE(object));
  if (PyBool_Check(object)) return Scalar(object == Py_True);
  if (THPVariable_Check(object)) return item(THPVariable_Unpack(object));
  if (is_numpy_floating(object)) return Scalar(THPUtils_unpackDouble(object));
  if (is_numpy_bool(object)) return Scalar(PyObject_IsTrue(object) == 1);
  return Scalar(THPUtils_unpackLong(object));
}

}  // namespace tensorlib
