#include "Size.h"

#include "gil.h"

namespace tensorlib {

namespace {

PyTypeObject THPSizeType = {PyVarObject_HEAD_INIT(nullptr, 0)};

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

PyMethodDef methods[] = {{"numel", THPSize_numel, METH_NOARGS, "Number of elements of a tensor of these sizes."}, {}};

}  // namespace

PyObject* THPSize_New(IntArrayRef sizes) {
  PyObject* self = THPSizeType.tp_alloc(&THPSizeType, static_cast<Py_ssize_t>(sizes.size()));
  for (std::size_t i = 0; self && i < sizes.size(); ++i) {
    PyObject* size = PyLong_FromLongLong(sizes[i]);
    if (!size)
      Py_CLEAR(self);
    else
      PyTuple_SET_ITEM(self, i, size);
  }
  return self;
}

bool THPSize_initModule(PyObject* module) {
  THPSizeType.tp_name = "tensorlib.Size";
  THPSizeType.tp_doc = "The sizes of a tensor.";
  THPSizeType.tp_base = &PyTuple_Type;
  THPSizeType.tp_flags = Py_TPFLAGS_DEFAULT;
  THPSizeType.tp_repr = THPSize_repr;
  THPSizeType.tp_methods = methods;
  return PyType_Ready(&THPSizeType) == 0 && PyModule_AddObjectRef(module, "Size", reinterpret_cast<PyObject*>(&THPSizeType)) == 0;
}

}  // namespace tensorlib
