// tensorlib._C.TensorBase: the Python object of a tensor.
#pragma once

#include <Python.h>

#include "core/Tensor.h"

namespace tensorlib {

struct THPVariable {
  PyObject_HEAD Tensor cdata;
};

extern PyTypeObject THPVariableType;
/// The Python class that results are instances of (tensorlib.Tensor); null until the package has set it.
extern PyObject* THPVariableClass;

inline bool THPVariable_Check(PyObject* object) { return PyObject_TypeCheck(object, &THPVariableType); }
inline const Tensor& THPVariable_Unpack(PyObject* object) { return reinterpret_cast<THPVariable*>(object)->cdata; }

/// A new reference to the Python object of a tensor: the one it has, or a new one. Null with a Python error.
PyObject* THPVariable_Wrap(const Tensor& tensor);
/// A new object of the given class (TensorBase or below) for a tensor that has none yet.
PyObject* THPVariable_NewWithVar(PyTypeObject* type, const Tensor& tensor);

bool THPVariable_initModule(PyObject* module);

extern PyMethodDef variable_methods[];        // python_variable_methods.cpp
extern PyMappingMethods variable_as_mapping;  // python_variable_indexing.cpp
extern PyGetSetDef variable_properties[];     // python_variable.cpp

}  // namespace tensorlib
