// tensorlib._C.TensorBase: the Python object of a tensor.
#pragma once

#include <Python.h>

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/Scalar.h"
#include "core/Tensor.h"

namespace tensorlib {

struct THPVariable {
  PyObject_HEAD Tensor cdata;
  PyObject* dict;
  PyObject* weakrefs;
};

extern PyTypeObject THPVariableType;
/// The Python class that results are instances of (tensorlib.Tensor); null until the package has set it.
extern PyObject* THPVariableClass;

inline bool THPVariable_CheckExact(PyObject* object) { return reinterpret_cast<PyObject*>(Py_TYPE(object)) == THPVariableClass; }
inline bool THPVariable_Check(PyObject* object) {
  if (THPVariable_CheckExact(object)) return true;
  return !PyLong_CheckExact(object) && !PyFloat_CheckExact(object) && PyObject_TypeCheck(object, &THPVariableType);
}
inline const Tensor& THPVariable_Unpack(PyObject* object) { return reinterpret_cast<THPVariable*>(object)->cdata; }

/// A new reference to the Python object of a tensor: the one it has, or a new one; None for an undefined tensor. Null with a Python error.
PyObject* THPVariable_Wrap(Tensor tensor);
/// A new object of the given class (TensorBase or below) for a tensor that has none yet.
PyObject* THPVariable_NewWithVar(PyTypeObject* type, Tensor tensor);

/// Makes `type` the class of results. Its objects are given back to a free list.
void THPVariable_setClass(PyTypeObject* type);

bool THPVariable_initModule(PyObject* module);

extern PyMethodDef variable_methods[];        // python_variable_methods.cpp: by hand
extern PyMappingMethods variable_as_mapping;  // python_variable_indexing.cpp
extern PyGetSetDef variable_properties[];     // python_variable_properties.cpp
extern PyBufferProcs variable_as_buffer;      // python_buffer.cpp

/// What operators give, as Python objects. New references; null with a Python error.
inline PyObject* wrap(Tensor tensor) { return THPVariable_Wrap(std::move(tensor)); }
inline PyObject* wrap(bool value) { return PyBool_FromLong(value); }
inline PyObject* wrap(std::int64_t value) { return PyLong_FromLongLong(value); }
inline PyObject* wrap(double value) { return PyFloat_FromDouble(value); }
PyObject* wrap(const Scalar& scalar);
PyObject* wrap(ScalarType type);
PyObject* wrap(const std::vector<Tensor>& tensors);
PyObject* wrap(IntArrayRef values);
/// A tuple of tensors that also has names: t.max(dim=1).values. `type` comes from new_result_type.
PyObject* wrap_named(PyTypeObject* type, std::initializer_list<Tensor> tensors);
/// tensorlib.return_types.NAME, made once and kept.
PyTypeObject* new_result_type(const char* name, std::initializer_list<const char*> fields);
template <typename... Tensors>
PyObject* wrap(const std::tuple<Tensors...>& tensors) {
  return std::apply(
      [](const auto&... each) -> PyObject* {
        PyObject* tuple = PyTuple_New(sizeof...(each));
        Py_ssize_t i = 0;
        const auto add = [&](PyObject* object) {
          if (!object) Py_CLEAR(tuple);
          if (tuple) PyTuple_SET_ITEM(tuple, i++, object);
        };
        if (tuple) (add(wrap(each)), ...);
        return tuple;
      },
      tensors);
}

}  // namespace tensorlib
