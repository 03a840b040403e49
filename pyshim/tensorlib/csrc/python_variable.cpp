#include "python_variable.h"

#include <new>

#include "DType.h"
#include "Exceptions.h"
#include "Size.h"
#include "core/Exception.h"

namespace tensorlib {

PyObject* THPVariableClass = nullptr;

PyObject* THPVariable_Wrap(const Tensor& tensor) {
  if (auto* known = static_cast<PyObject*>(tensor.impl()->pyobj())) return Py_NewRef(known);
  return THPVariable_NewWithVar(THPVariableClass ? reinterpret_cast<PyTypeObject*>(THPVariableClass) : &THPVariableType, tensor);
}

PyObject* THPVariable_NewWithVar(PyTypeObject* type, const Tensor& tensor) {
  PyObject* object = type->tp_alloc(type, 0);
  if (!object) return nullptr;
  new (&reinterpret_cast<THPVariable*>(object)->cdata) Tensor(tensor);
  tensor.impl()->set_pyobj(object);
  return object;
}

namespace {

void THPVariable_dealloc(PyObject* object) {
  Tensor& tensor = reinterpret_cast<THPVariable*>(object)->cdata;
  tensor.impl()->set_pyobj(nullptr);
  tensor.~Tensor();
  Py_TYPE(object)->tp_free(object);
}

PyObject* THPVariable_pynew(PyTypeObject* type, PyObject*, PyObject*) {
  PyErr_Format(PyExc_TypeError, "%s cannot be made by calling it: use tensorlib.tensor(data)", type->tp_name);
  return nullptr;
}

PyObject* get_shape(PyObject* self, void*) { return THPSize_New(THPVariable_Unpack(self).sizes()); }
PyObject* get_dtype(PyObject* self, void*) { return THPDtype_New(THPVariable_Unpack(self).dtype()); }
PyObject* get_ndim(PyObject* self, void*) { return PyLong_FromLongLong(THPVariable_Unpack(self).dim()); }
PyObject* get_requires_grad(PyObject* self, void*) { return PyBool_FromLong(THPVariable_Unpack(self).requires_grad()); }
PyObject* get_is_leaf(PyObject* self, void*) { return PyBool_FromLong(THPVariable_Unpack(self).impl()->is_leaf()); }

int set_requires_grad(PyObject* self, PyObject* value, void*) {
  HANDLE_TH_ERRORS
  if (!value || !PyBool_Check(value)) throw TypeError("requires_grad must be a bool");
  TensorImpl& impl = *THPVariable_Unpack(self).impl();
  const bool wanted = value == Py_True;
  if (!wanted && !impl.is_leaf()) raise("you can only change requires_grad flags of leaf variables.");
  if (wanted && impl.is_inference()) raise("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
  impl.set_requires_grad(wanted);
  return 0;
  END_HANDLE_TH_ERRORS_RET(-1)
}

}  // namespace

PyGetSetDef variable_properties[] = {
    {"shape", get_shape, nullptr, "Sizes, as a tensorlib.Size.", nullptr},
    {"dtype", get_dtype, nullptr, "Element type.", nullptr},
    {"ndim", get_ndim, nullptr, "Number of dimensions.", nullptr},
    {"requires_grad", get_requires_grad, set_requires_grad, "Whether gradients are wanted.", nullptr},
    {"is_leaf", get_is_leaf, nullptr, "Whether it was made by the user rather than computed from what wants gradients.", nullptr},
    {},
};

PyTypeObject THPVariableType = {PyVarObject_HEAD_INIT(nullptr, 0)};

bool THPVariable_initModule(PyObject* module) {
  THPVariableType.tp_name = "tensorlib._C.TensorBase";
  THPVariableType.tp_doc = "A strided tensor. tensorlib.Tensor is the class to use.";
  THPVariableType.tp_basicsize = sizeof(THPVariable);
  THPVariableType.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  THPVariableType.tp_dealloc = THPVariable_dealloc;
  THPVariableType.tp_new = THPVariable_pynew;
  THPVariableType.tp_methods = variable_methods;
  THPVariableType.tp_getset = variable_properties;
  THPVariableType.tp_as_mapping = &variable_as_mapping;
  return PyType_Ready(&THPVariableType) == 0 &&
         PyModule_AddObjectRef(module, "TensorBase", reinterpret_cast<PyObject*>(&THPVariableType)) == 0;
}

}  // namespace tensorlib
