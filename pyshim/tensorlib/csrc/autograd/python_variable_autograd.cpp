#include "autograd/python_variable_autograd.h"

#include <algorithm>
#include <string>

#include "Exceptions.h"
#include "autograd/functions/accumulate_grad.h"
#include "autograd/python_cpp_function.h"
#include "autograd/python_hook.h"
#include "autograd/variable.h"
#include "core/Exception.h"
#include "gil.h"
#include "ops/Functions.h"
#include "python_torch_function.h"
#include "python_variable.h"

namespace tensorlib::autograd {

namespace {

PyObject* wrapped_or_none(const Tensor& tensor) { return tensor.defined() ? THPVariable_Wrap(tensor) : Py_NewRef(Py_None); }

PyObject* get_grad_fn(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return functionToPyObject(impl::grad_fn(THPVariable_Unpack(self)));
  END_HANDLE_TH_ERRORS
}

constexpr const char* non_leaf_grad_warning =
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be populated during "
    "autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf "
    "Tensor. If you access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead.";

PyObject* get_grad(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  const Tensor& tensor = THPVariable_Unpack(self);
  const Tensor grad = load_grad(tensor);
  if (!grad.defined() && tensor.requires_grad() && !impl::retains_grad(tensor) && !impl::is_leaf(tensor) &&
      PyErr_WarnEx(PyExc_UserWarning, non_leaf_grad_warning, 1) < 0) {
    return nullptr;
  }
  return wrapped_or_none(grad);
  END_HANDLE_TH_ERRORS
}

int set_grad(PyObject* self, PyObject* value, void*) {
  HANDLE_TH_ERRORS
  const Tensor& tensor = THPVariable_Unpack(self);
  if (!value || value == Py_None) {
    if (load_grad(tensor).defined()) exchange_grad(tensor, Tensor());
    return 0;
  }
  if (!THPVariable_Check(value)) {
    throw TypeError(std::string("assigned grad expected to be a Tensor or None but got grad of type ") + Py_TYPE(value)->tp_name);
  }
  const Tensor& grad = THPVariable_Unpack(value);
  if (grad.is_same(tensor)) raise("can't assign Variable as its own grad");
  if (grad.dtype() != tensor.dtype()) raise("assigned grad has data of a different type");
  if (!std::ranges::equal(grad.sizes(), tensor.sizes())) raise("assigned grad has data of a different size");
  exchange_grad(tensor, grad);
  return 0;
  END_HANDLE_TH_ERRORS_RET(-1)
}

PyObject* get_version(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  const Tensor& tensor = THPVariable_Unpack(self);
  if (tensor.impl()->is_inference()) raise("Inference tensors do not track version counter.");
  return PyLong_FromUnsignedLong(tensor.impl()->current_version());
  END_HANDLE_TH_ERRORS
}

PyObject* get_output_nr(PyObject* self, void*) { return PyLong_FromUnsignedLong(impl::output_nr(THPVariable_Unpack(self))); }
PyObject* get_retains_grad(PyObject* self, void*) { return PyBool_FromLong(impl::retains_grad(THPVariable_Unpack(self))); }

PyObject* get_base(PyObject* self, void*) {
  const Tensor& tensor = THPVariable_Unpack(self);
  return impl::is_view(tensor) ? THPVariable_Wrap(impl::base(tensor)) : Py_NewRef(Py_None);
}

/// The same memory, unknown to autograd and with a count of writes of its own.
PyObject* get_data(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  const Tensor& tensor = THPVariable_Unpack(self);
  return THPVariable_Wrap(tensorlib::as_strided(tensor, tensor.sizes(), tensor.strides(), tensor.storage_offset()));
  END_HANDLE_TH_ERRORS
}

int set_data(PyObject* self, PyObject* value, void*) {
  HANDLE_TH_ERRORS
  if (!value) raise("Deleting tensor data is not allowed. Delete tensor instead!");
  if (!THPVariable_Check(value)) throw TypeError(std::string("Variable data has to be a tensor, but got ") + Py_TYPE(value)->tp_name);
  impl::set_data(THPVariable_Unpack(self), THPVariable_Unpack(value));
  return 0;
  END_HANDLE_TH_ERRORS_RET(-1)
}

PyObject* is_view(PyObject* self, PyObject*) { return PyBool_FromLong(impl::is_view(THPVariable_Unpack(self))); }

PyObject* retain_grad(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  impl::retain_grad(THPVariable_Unpack(self));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* tensor_hooks(PyObject* self, PyObject*) { return PyFunctionTensorPreHook::dict_of(THPVariable_Unpack(self)); }
PyObject* post_accumulate_hooks(PyObject* self, PyObject*) { return PyPostAccumulateGradHook::dict_of(THPVariable_Unpack(self)); }

PyGetSetDef properties[] = {
    {"grad_fn", get_grad_fn, nullptr, "The node that made it; None for a leaf.", nullptr},
    {"grad", get_grad, set_grad, "The gradient that backward added up here, or None.", nullptr},
    {"retains_grad", get_retains_grad, nullptr, "Whether retain_grad() was called on a computed tensor.", nullptr},
    {"output_nr", get_output_nr, nullptr, "Which result of grad_fn it is.", nullptr},
    {"data", get_data, set_data, "The same memory, unknown to autograd; set, the tensor has the memory, sizes and type of another.",
     nullptr},
    {"_version", get_version, nullptr, "How often its memory was written to in place.", nullptr},
    {"_base", get_base, nullptr, "What it is a view of, or None.", nullptr},
    {},
};

PyObject* detach_(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  impl::detach_(THPVariable_Unpack(self));
  return Py_NewRef(self);
  END_HANDLE_TH_ERRORS
}

PyMethodDef methods[] = {
    {"detach_", detach_, METH_NOARGS, "Forgets what it was computed from and becomes a leaf; returns self."},
    {"retain_grad", retain_grad, METH_NOARGS, "Has backward leave this computed tensor's gradient in .grad."},
    {"_is_view", is_view, METH_NOARGS, "Whether it is a view that gradients pass through."},
    {"_tensor_hooks", tensor_hooks, METH_NOARGS, "The hooks on its gradient, by handle."},
    {"_post_accumulate_hooks", post_accumulate_hooks, METH_NOARGS, "The hooks that run once its gradient is added up, by handle."},
    {},
};

const char* definition_name(const PyGetSetDef& definition) { return definition.name; }
const char* definition_name(const PyMethodDef& definition) { return definition.ml_name; }

template <typename Definition, typename MakeDescriptor>
bool add_all(PyTypeObject& type, Definition* definitions, MakeDescriptor make) {
  for (Definition* definition = definitions; definition_name(*definition); ++definition) {
    const THPObjectPtr descriptor(make(&type, definition));
    if (!descriptor || PyDict_SetItemString(type.tp_dict, definition_name(*definition), descriptor.get()) < 0) return false;
  }
  return true;
}

}  // namespace

bool THPVariable_initAutograd() {
  const bool added = add_all(THPVariableType, properties,
                             [](PyTypeObject* type, PyGetSetDef* property) { return PyDescr_NewGetSet(type, asking(*property)); }) &&
                     add_all(THPVariableType, methods, PyDescr_NewMethod);
  PyType_Modified(&THPVariableType);
  return added;
}

}  // namespace tensorlib::autograd
