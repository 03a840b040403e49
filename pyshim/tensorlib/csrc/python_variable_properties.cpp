// The properties of tensors. The type has them through asking(), so that an overriding subclass comes first: `x.shape` is
// Tensor.shape.__get__(x).
#include <string>

#include "DType.h"
#include "Exceptions.h"
#include "Size.h"
#include "core/LocalDispatchKeySet.h"
#include "core/Exception.h"
#include "python_variable.h"

namespace tensorlib {

namespace {

template <PyObject* (*get)(const Tensor&)>
PyObject* property(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return get(THPVariable_Unpack(self));
  END_HANDLE_TH_ERRORS
}

PyObject* shape(const Tensor& self) { return THPSize_New(self.sizes()); }
PyObject* dtype(const Tensor& self) { return THPDtype_New(self.dtype()); }
PyObject* device(const Tensor&) { return THPDevice_New(); }
PyObject* ndim(const Tensor& self) { return PyLong_FromLongLong(self.dim()); }
PyObject* itemsize(const Tensor& self) { return PyLong_FromLongLong(self.element_size()); }
PyObject* nbytes(const Tensor& self) { return PyLong_FromLongLong(self.numel() * self.element_size()); }
PyObject* yes(const Tensor&) { Py_RETURN_TRUE; }
PyObject* no(const Tensor&) { Py_RETURN_FALSE; }
PyObject* requires_grad(const Tensor& self) { return PyBool_FromLong(self.requires_grad()); }
PyObject* is_leaf(const Tensor& self) { return PyBool_FromLong(self.impl()->is_leaf()); }

int set_requires_grad(PyObject* self, PyObject* value, void*) {
  HANDLE_TH_ERRORS
  if (!value || !PyBool_Check(value)) throw TypeError("requires_grad must be a bool");
  TensorImpl& impl = *THPVariable_Unpack(self).impl();
  const bool wanted = value == Py_True;
  if (!wanted && !impl.is_leaf()) {
    raise(
        "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that doesn't "
        "require differentiation use var_no_grad = var.detach().");
  }
  if (wanted && !isFloatingType(impl.dtype())) {
    raise("only Tensors of floating point dtype can require gradients");
  }
  if (wanted && impl.is_inference() && !InferenceMode::is_enabled()) raise("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
  impl.set_requires_grad(wanted);
  return 0;
  END_HANDLE_TH_ERRORS_RET(-1)
}

}  // namespace

PyGetSetDef variable_properties[] = {
    {"shape", property<shape>, nullptr, "Sizes, as a tensorlib.Size.", nullptr},
    {"dtype", property<dtype>, nullptr, "Element type.", nullptr},
    {"device", property<device>, nullptr, "tensorlib.device('cpu').", nullptr},
    {"ndim", property<ndim>, nullptr, "Number of dimensions.", nullptr},
    {"itemsize", property<itemsize>, nullptr, "Bytes of one element.", nullptr},
    {"nbytes", property<nbytes>, nullptr, "Bytes of all elements.", nullptr},
    {"is_cpu", property<yes>, nullptr, "True.", nullptr},
    {"is_cuda", property<no>, nullptr, "False: there is only the CPU.", nullptr},
    {"is_sparse", property<no>, nullptr, "False: tensors are strided.", nullptr},
    {"is_quantized", property<no>, nullptr, "False.", nullptr},
    {"is_meta", property<no>, nullptr, "False.", nullptr},
    {"requires_grad", property<requires_grad>, set_requires_grad, "Whether gradients are wanted.", nullptr},
    {"is_leaf", property<is_leaf>, nullptr, "Whether it was made by the user rather than computed from what wants gradients.", nullptr},
    {},
};

}  // namespace tensorlib
