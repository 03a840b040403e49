// The methods of tensors: each takes its arguments from Python, gives up the GIL and calls the operator.
//
// `self` is held by value: the engine must not lose the tensor when, without the GIL, another thread drops the Python object.
#include "python_variable_methods.h"

#include "Exceptions.h"
#include "core/Exception.h"
#include "gil.h"
#include "native/TensorConversions.h"
#include "native/TensorShape.h"
#include "ops/Operators.h"
#include "python_arg_parser.h"
#include "python_variable.h"

namespace tensorlib::autograd {

PyObject* THPVariable_pow(PyObject* self_, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"pow(Tensor exponent)", "pow(Scalar exponent)"});
  const PythonArgs r = parser.parse(args, kwargs);
  const Tensor self = THPVariable_Unpack(self_);
  Tensor result;
  if (r.signature == 0) {
    const Tensor exponent = r.tensor(0);
    const gil_scoped_release no_gil;
    result = _ops::pow_Tensor_Tensor::call(self, exponent);
  } else {
    const Scalar exponent = r.scalar(0);
    const gil_scoped_release no_gil;
    result = _ops::pow_Tensor_Scalar::call(self, exponent);
  }
  return THPVariable_Wrap(result);
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_add(PyObject* self_, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"add(Tensor other, *, Scalar alpha=1)", "add(Scalar other, *, Scalar alpha=1)"});
  const PythonArgs r = parser.parse(args, kwargs);
  const Tensor self = THPVariable_Unpack(self_);
  const Tensor other = r.signature == 0 ? r.tensor(0) : wrapped_scalar_tensor(r.scalar(0));
  const Scalar alpha = r.scalar(1, 1);
  Tensor result;
  {
    const gil_scoped_release no_gil;
    result = _ops::add_Tensor::call(self, other, alpha);
  }
  return THPVariable_Wrap(result);
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_sub(PyObject* self_, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"sub(Tensor other, *, Scalar alpha=1)", "sub(Scalar other, *, Scalar alpha=1)"});
  const PythonArgs r = parser.parse(args, kwargs);
  const Tensor self = THPVariable_Unpack(self_);
  const Tensor other = r.signature == 0 ? r.tensor(0) : wrapped_scalar_tensor(r.scalar(0));
  const Scalar alpha = r.scalar(1, 1);
  Tensor result;
  {
    const gil_scoped_release no_gil;
    result = _ops::sub_Tensor::call(self, other, alpha);
  }
  return THPVariable_Wrap(result);
  END_HANDLE_TH_ERRORS
}

/// other - self, for a Python number on the left.
PyObject* THPVariable_rsub(PyObject* self_, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"rsub(Scalar other)"});
  const PythonArgs r = parser.parse(args, kwargs);
  const Tensor self = THPVariable_Unpack(self_);
  const Tensor other = wrapped_scalar_tensor(r.scalar(0));
  Tensor result;
  {
    const gil_scoped_release no_gil;
    result = _ops::sub_Tensor::call(other, self, 1);
  }
  return THPVariable_Wrap(result);
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_mul(PyObject* self_, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"mul(Tensor other)", "mul(Scalar other)"});
  const PythonArgs r = parser.parse(args, kwargs);
  const Tensor self = THPVariable_Unpack(self_);
  const Tensor other = r.signature == 0 ? r.tensor(0) : wrapped_scalar_tensor(r.scalar(0));
  Tensor result;
  {
    const gil_scoped_release no_gil;
    result = _ops::mul_Tensor::call(self, other);
  }
  return THPVariable_Wrap(result);
  END_HANDLE_TH_ERRORS
}

/// A binary operator's method: arguments it cannot take give NotImplemented, so that Python asks the other operand.
template <PyCFunctionWithKeywords method>
PyObject* TypeError_to_NotImplemented_(PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject* result = method(self, args, kwargs);
  if (!result && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    return Py_NewRef(Py_NotImplemented);
  }
  return result;
}

}  // namespace tensorlib::autograd

namespace tensorlib {

namespace {

PyObject* element_to_python(const char* element, ScalarType dtype) {
  if (dtype == ScalarType::Double) return PyFloat_FromDouble(*reinterpret_cast<const double*>(element));
  return PyFloat_FromDouble(*reinterpret_cast<const float*>(element));
}

PyObject* list_from(const Tensor& self, std::int64_t dim, const char* data) {
  if (dim == self.dim()) return element_to_python(data, self.dtype());
  const std::int64_t step = self.strides()[dim] * static_cast<std::int64_t>(elementSize(self.dtype()));
  THPObjectPtr list(PyList_New(self.sizes()[dim]));
  for (std::int64_t i = 0; list && i < self.sizes()[dim]; ++i) {
    PyObject* item = list_from(self, dim + 1, data + i * step);
    if (!item) return nullptr;
    PyList_SET_ITEM(list.get(), i, item);
  }
  return list.release();
}

PyObject* THPVariable_tolist(PyObject* self, PyObject*) { return tensor_to_list(THPVariable_Unpack(self)); }

PyObject* THPVariable_item(PyObject* self_, PyObject*) {
  HANDLE_TH_ERRORS
  const Tensor& self = THPVariable_Unpack(self_);
  if (self.numel() != 1) raise("a Tensor with " + std::to_string(self.numel()) + " elements cannot be converted to Scalar");
  return element_to_python(self.data(), self.dtype());
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_contiguous(PyObject* self_, PyObject*) {
  HANDLE_TH_ERRORS
  const Tensor self = THPVariable_Unpack(self_);
  return THPVariable_Wrap(native::contiguous(self));
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_is_contiguous(PyObject* self, PyObject*) { return PyBool_FromLong(THPVariable_Unpack(self).is_contiguous()); }

PyObject* THPVariable_unsqueeze(PyObject* self, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"unsqueeze(int dim)"});
  return THPVariable_Wrap(native::unsqueeze(THPVariable_Unpack(self), parser.parse(args, kwargs).integer(0)));
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_expand(PyObject* self, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"expand(IntArrayRef size)"});
  return THPVariable_Wrap(native::expand(THPVariable_Unpack(self), parser.parse(args, kwargs).intlist(0)));
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_permute(PyObject* self, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"permute(IntArrayRef dims)"});
  return THPVariable_Wrap(native::permute(THPVariable_Unpack(self), parser.parse(args, kwargs).intlist(0)));
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_t(PyObject* self_, PyObject*) {
  HANDLE_TH_ERRORS
  const Tensor& self = THPVariable_Unpack(self_);
  if (self.dim() > 2) raise("t() expects a tensor with <= 2 dimensions, but self is " + std::to_string(self.dim()) + "D");
  return THPVariable_Wrap(self.dim() < 2 ? native::alias(self) : native::permute(self, DimVector{1, 0}));
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_as_subclass(PyObject* self, PyObject* type) {
  HANDLE_TH_ERRORS
  if (!PyType_Check(type) || !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), &THPVariableType)) {
    throw TypeError("as_subclass: a subclass of tensorlib.Tensor is needed");
  }
  return THPVariable_NewWithVar(reinterpret_cast<PyTypeObject*>(type), native::alias(THPVariable_Unpack(self)));
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_to(PyObject* self_, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"to(ScalarType dtype)"});
  const ScalarType dtype = parser.parse(args, kwargs).dtype(0, default_dtype);
  const Tensor self = THPVariable_Unpack(self_);
  return self.dtype() == dtype ? Py_NewRef(self_) : THPVariable_Wrap(native::to(self, dtype));
  END_HANDLE_TH_ERRORS
}

PyObject* int_or_tuple(IntArrayRef values) {
  THPObjectPtr tuple(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (std::size_t i = 0; tuple && i < values.size(); ++i) {
    PyObject* item = PyLong_FromLongLong(values[i]);
    if (!item) return nullptr;
    PyTuple_SET_ITEM(tuple.get(), i, item);
  }
  return tuple.release();
}

PyObject* THPVariable_size(PyObject* self_, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"size(int dim=None)"});
  const PythonArgs r = parser.parse(args, kwargs);
  const Tensor& self = THPVariable_Unpack(self_);
  if (!r.has(0)) return PyObject_GetAttrString(self_, "shape");
  if (self.dim() == 0) throw IndexError("Dimension specified as " + std::to_string(r.integer(0)) + " but tensor has no dimensions");
  return PyLong_FromLongLong(self.sizes()[native::wrap_dim(r.integer(0), self.dim())]);
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_stride(PyObject* self_, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"stride(int dim=None)"});
  const PythonArgs r = parser.parse(args, kwargs);
  const Tensor& self = THPVariable_Unpack(self_);
  if (!r.has(0)) return int_or_tuple(self.strides());
  if (self.dim() == 0) throw IndexError("Dimension specified as " + std::to_string(r.integer(0)) + " but tensor has no dimensions");
  return PyLong_FromLongLong(self.strides()[native::wrap_dim(r.integer(0), self.dim())]);
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_requires_grad_(PyObject* self, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"requires_grad_(bool requires_grad=True)"});
  const PythonArgs r = parser.parse(args, kwargs);
  if (PyObject_SetAttrString(self, "requires_grad", r.boolean(0, true) ? Py_True : Py_False) < 0) return nullptr;
  return Py_NewRef(self);
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_numel(PyObject* self, PyObject*) { return PyLong_FromLongLong(THPVariable_Unpack(self).numel()); }
PyObject* THPVariable_dim(PyObject* self, PyObject*) { return PyLong_FromLongLong(THPVariable_Unpack(self).dim()); }
PyObject* THPVariable_data_ptr(PyObject* self, PyObject*) { return PyLong_FromVoidPtr(THPVariable_Unpack(self).data()); }
PyObject* THPVariable_element_size(PyObject* self, PyObject*) { return PyLong_FromSize_t(elementSize(THPVariable_Unpack(self).dtype())); }
PyObject* THPVariable_storage_offset(PyObject* self, PyObject*) {
  return PyLong_FromLongLong(THPVariable_Unpack(self).impl()->storage_offset());
}
PyObject* THPVariable_is_inference(PyObject* self, PyObject*) { return PyBool_FromLong(THPVariable_Unpack(self).impl()->is_inference()); }

template <PyCFunctionWithKeywords function>
PyCFunction castPyCFunctionWithKeywords() {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

constexpr int with_keywords = METH_VARARGS | METH_KEYWORDS;

}  // namespace

PyObject* tensor_to_list(const Tensor& self) { return list_from(self, 0, self.data()); }

using namespace autograd;

PyMethodDef variable_methods[] = {
    // The operators. `**` is not among them: tensorlib.Tensor.__pow__ is a Python function around `pow`.
    {"__add__", castPyCFunctionWithKeywords<TypeError_to_NotImplemented_<THPVariable_add>>(), with_keywords, nullptr},
    {"__radd__", castPyCFunctionWithKeywords<TypeError_to_NotImplemented_<THPVariable_add>>(), with_keywords, nullptr},
    {"__sub__", castPyCFunctionWithKeywords<TypeError_to_NotImplemented_<THPVariable_sub>>(), with_keywords, nullptr},
    {"__mul__", castPyCFunctionWithKeywords<TypeError_to_NotImplemented_<THPVariable_mul>>(), with_keywords, nullptr},
    {"__rmul__", castPyCFunctionWithKeywords<TypeError_to_NotImplemented_<THPVariable_mul>>(), with_keywords, nullptr},
    {"add", castPyCFunctionWithKeywords<THPVariable_add>(), with_keywords, "add(other, *, alpha=1): self + alpha * other."},
    {"as_subclass", THPVariable_as_subclass, METH_O, "as_subclass(cls): a view of self whose Python class is cls."},
    {"contiguous", THPVariable_contiguous, METH_NOARGS, "self if it is row-major, else a row-major copy."},
    {"data_ptr", THPVariable_data_ptr, METH_NOARGS, "Address of the first element."},
    {"dim", THPVariable_dim, METH_NOARGS, "Number of dimensions."},
    {"element_size", THPVariable_element_size, METH_NOARGS, "Bytes of one element."},
    {"expand", castPyCFunctionWithKeywords<THPVariable_expand>(), with_keywords,
     "expand(*size): a view that repeats dimensions of size 1."},
    {"is_contiguous", THPVariable_is_contiguous, METH_NOARGS, "Whether elements lie row by row without gaps."},
    {"is_inference", THPVariable_is_inference, METH_NOARGS, "Whether it was made in inference mode."},
    {"item", THPVariable_item, METH_NOARGS, "The only element as a Python number."},
    {"mul", castPyCFunctionWithKeywords<THPVariable_mul>(), with_keywords, "mul(other): self * other."},
    {"numel", THPVariable_numel, METH_NOARGS, "Number of elements."},
    {"permute", castPyCFunctionWithKeywords<THPVariable_permute>(), with_keywords, "permute(*dims): a view with dimensions reordered."},
    {"pow", castPyCFunctionWithKeywords<THPVariable_pow>(), with_keywords, "pow(exponent): each element to the power of exponent."},
    {"requires_grad_", castPyCFunctionWithKeywords<THPVariable_requires_grad_>(), with_keywords, "Sets requires_grad; returns self."},
    {"rsub", castPyCFunctionWithKeywords<THPVariable_rsub>(), with_keywords, "rsub(other): other - self."},
    {"size", castPyCFunctionWithKeywords<THPVariable_size>(), with_keywords, "size(dim=None): the sizes, or one of them."},
    {"storage_offset", THPVariable_storage_offset, METH_NOARGS, "Elements before the first, in the storage."},
    {"stride", castPyCFunctionWithKeywords<THPVariable_stride>(), with_keywords, "stride(dim=None): steps in elements."},
    {"sub", castPyCFunctionWithKeywords<THPVariable_sub>(), with_keywords, "sub(other, *, alpha=1): self - alpha * other."},
    {"t", THPVariable_t, METH_NOARGS, "The transpose of a matrix, as a view."},
    {"to", castPyCFunctionWithKeywords<THPVariable_to>(), with_keywords, "to(dtype): self in another element type."},
    {"tolist", THPVariable_tolist, METH_NOARGS, "The elements as nested lists."},
    {"unsqueeze", castPyCFunctionWithKeywords<THPVariable_unsqueeze>(), with_keywords,
     "unsqueeze(dim): a view with a dimension of size 1 more."},
    {},
};

}  // namespace tensorlib
