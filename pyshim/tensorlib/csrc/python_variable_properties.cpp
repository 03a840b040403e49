// The properties of tensors. An overriding subclass is asked first: `x.shape` is Tensor.shape.__get__(x).
#include <string>

#include "DType.h"
#include "Exceptions.h"
#include "Size.h"
#include "core/Exception.h"
#include "python_torch_function.h"
#include "python_variable.h"

namespace tensorlib {

namespace {

/// A getter named by its property: `get` takes the tensor and gives a new reference.
template <const char* const& name, PyObject* (*get)(const Tensor&)>
PyObject* property(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  if (check_has_torch_function(self)) return handle_torch_function_getter(self, name);
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

constexpr const char* n_shape = "shape";
constexpr const char* n_dtype = "dtype";
constexpr const char* n_device = "device";
constexpr const char* n_ndim = "ndim";
constexpr const char* n_itemsize = "itemsize";
constexpr const char* n_nbytes = "nbytes";
constexpr const char* n_is_cpu = "is_cpu";
constexpr const char* n_is_cuda = "is_cuda";
constexpr const char* n_is_sparse = "is_sparse";
constexpr const char* n_is_quantized = "is_quantized";
constexpr const char* n_is_meta = "is_meta";
constexpr const char* n_requires_grad = "requires_grad";
constexpr const char* n_is_leaf = "is_leaf";

int set_requires_grad(PyObject* self, PyObject* value, void*) {
  HANDLE_TH_ERRORS
  if (check_has_torch_function(self)) return handle_torch_function_setter(self, "requires_grad", value);
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
  if (wanted && impl.is_inference()) raise("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
  impl.set_requires_grad(wanted);
  return 0;
  END_HANDLE_TH_ERRORS_RET(-1)
}

}  // namespace

PyGetSetDef variable_properties[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {"shape", property<n_shape, shape>, nullptr, "Sizes, as a tensorlib.Size.", nullptr},
    {"dtype", property<n_dtype, dtype>, nullptr, "Element type.", nullptr},
    {"device", property<n_device, device>, nullptr, "tensorlib.device('cpu').", nullptr},
    {"ndim", property<n_ndim, ndim>, nullptr, "Number of dimensions.", nullptr},
    {"itemsize", property<n_itemsize, itemsize>, nullptr, "Bytes of one element.", nullptr},
    {"nbytes", property<n_nbytes, nbytes>, nullptr, "Bytes of all elements.", nullptr},
    {"is_cpu", property<n_is_cpu, yes>, nullptr, "True.", nullptr},
    {"is_cuda", property<n_is_cuda, no>, nullptr, "False: there is only the CPU.", nullptr},
    {"is_sparse", property<n_is_sparse, no>, nullptr, "False: tensors are strided.", nullptr},
    {"is_quantized", property<n_is_quantized, no>, nullptr, "False.", nullptr},
    {"is_meta", property<n_is_meta, no>, nullptr, "False.", nullptr},
    {"requires_grad", property<n_requires_grad, requires_grad>, set_requires_grad, "Whether gradients are wanted.", nullptr},
    {"is_leaf", property<n_is_leaf, is_leaf>, nullptr, "Whether it was made by the user rather than computed from what wants gradients.",
     nullptr},
    {},
};

}  // namespace tensorlib
