#include "Size.h"

#include <string>

#include "Exceptions.h"
#include "core/Exception.h"
#include "gil.h"
#include "python_numbers.h"
#include "python_variable.h"

namespace tensorlib {

namespace {

PyTypeObject THPSizeType = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyObject* THPSize_pynew(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  THPObjectPtr self(PyTuple_Type.tp_new(type, args, kwargs));
  if (!self) return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self.get()); ++i) {
    PyObject* item = PyTuple_GET_ITEM(self.get(), i);
    if (THPUtils_checkLong(item)) continue;
    const THPObjectPtr number(THPUtils_checkIndex(item) || THPVariable_Check(item) ? PyNumber_Index(item) : nullptr);
    if (!number) {
      PyErr_Clear();
      throw TypeError("tensorlib.Size() takes an iterable of 'int' (item " + std::to_string(i) + " is '" + Py_TYPE(item)->tp_name + "')");
    }
    PyTuple_SET_ITEM(self.get(), i, Py_NewRef(number.get()));
    Py_DECREF(item);
  }
  return self.release();
  END_HANDLE_TH_ERRORS
}

PyObject* THPSize_repr(PyObject* self) {
  const THPObjectPtr list(PySequence_List(self));
  return list ? PyUnicode_FromFormat("tensorlib.Size(%R)", list.get()) : nullptr;
}

PyObject* THPSize_numel(PyObject* self, PyObject*) {
  THPObjectPtr product(PyLong_FromLong(1));
  for (Py_ssize_t i = 0; product && i < PyTuple_GET_SIZE(self); ++i) {
    product = THPObjectPtr(PyNumber_Multiply(product.get(), PyTuple_GET_ITEM(self, i)));
  }
  return product.release();
}

PyObject* THPSize_reduce(PyObject* self, PyObject*) {
  const THPObjectPtr tuple(PyTuple_GetSlice(self, 0, PyTuple_GET_SIZE(self)));
  return tuple ? Py_BuildValue("O(O)", reinterpret_cast<PyObject*>(&THPSizeType), tuple.get()) : nullptr;
}

/// What a tuple's operation gave, as a Size.
PyObject* as_size(PyObject* tuple) {
  if (!tuple || !PyTuple_CheckExact(tuple)) return tuple;
  const THPObjectPtr owned(tuple);
  return PyObject_CallOneArg(reinterpret_cast<PyObject*>(&THPSizeType), tuple);
}

PyObject* THPSize_concat(PyObject* self, PyObject* other) { return as_size(PyTuple_Type.tp_as_sequence->sq_concat(self, other)); }
PyObject* THPSize_repeat(PyObject* self, Py_ssize_t times) { return as_size(PyTuple_Type.tp_as_sequence->sq_repeat(self, times)); }
PyObject* THPSize_subscript(PyObject* self, PyObject* index) { return as_size(PyTuple_Type.tp_as_mapping->mp_subscript(self, index)); }

PySequenceMethods as_sequence;
PyMappingMethods as_mapping;

PyMethodDef methods[] = {
    {"numel", THPSize_numel, METH_NOARGS, "Number of elements of a tensor of these sizes."},
    {"__reduce__", THPSize_reduce, METH_NOARGS, nullptr},
    {},
};

}  // namespace

bool THPSize_Check(PyObject* object) { return Py_IS_TYPE(object, &THPSizeType); }

PyObject* THPSize_New(IntArrayRef sizes) {
  PyObject* self = THPSizeType.tp_alloc(&THPSizeType, static_cast<Py_ssize_t>(sizes.size()));
  for (std::size_t i = 0; self && i < sizes.size(); ++i) {
    PyObject* size = PyLong_FromLongLong(sizes[i]);
    if (!size) {
      Py_CLEAR(self);
    } else {
      PyTuple_SET_ITEM(self, i, size);
    }
  }
  return self;
}

bool THPSize_initModule(PyObject* module) {
  as_sequence = *PyTuple_Type.tp_as_sequence;
  as_sequence.sq_concat = THPSize_concat;
  as_sequence.sq_repeat = THPSize_repeat;
  as_mapping = *PyTuple_Type.tp_as_mapping;
  as_mapping.mp_subscript = THPSize_subscript;
  THPSizeType.tp_name = "tensorlib.Size";
  THPSizeType.tp_doc = "The sizes of a tensor.";
  THPSizeType.tp_base = &PyTuple_Type;
  THPSizeType.tp_flags = Py_TPFLAGS_DEFAULT;
  THPSizeType.tp_new = THPSize_pynew;
  THPSizeType.tp_repr = THPSize_repr;
  THPSizeType.tp_methods = methods;
  THPSizeType.tp_as_sequence = &as_sequence;
  THPSizeType.tp_as_mapping = &as_mapping;
  return PyType_Ready(&THPSizeType) == 0 && PyModule_AddObjectRef(module, "Size", reinterpret_cast<PyObject*>(&THPSizeType)) == 0;
}

}  // namespace tensorlib
