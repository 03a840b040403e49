// Methods of tensors that are written by hand, for they are about Python or ask about the tensor rather than compute. The operators are
// generated from their tables (codegen/gen_python.py).
//
// `self` is held by value where an operator runs: the engine must not lose the tensor when, without the GIL, another thread drops the
// Python object.
#include <string>

#include "DLConvertor.h"
#include "DType.h"
#include "Exceptions.h"
#include "Size.h"
#include "core/Dispatch.h"
#include "core/Exception.h"
#include "gil.h"
#include "native/TensorShape.h"
#include "ops/Operators.h"
#include "python_arg_parser.h"
#include "python_operators.h"
#include "python_torch_function.h"
#include "python_variable.h"
#include "tensor_new.h"
#include "tensor_numpy.h"

namespace tensorlib::autograd {

PyObject* THPVariable_item(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  if (check_has_torch_function(self)) return handle_torch_function_method(self, "item");
  return wrap(item(THPVariable_Unpack(self)));
  END_HANDLE_TH_ERRORS
}

namespace {

PyObject* element_to_python(const char* element, ScalarType dtype) {
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(dtype, "tolist", { return wrap(Scalar(*reinterpret_cast<const scalar_t*>(element))); });
}

PyObject* list_from(const Tensor& self, std::int64_t dim, const char* data) {
  if (dim == self.dim()) return element_to_python(data, self.dtype());
  const std::int64_t step = self.stride(dim) * self.element_size();
  THPObjectPtr list(PyList_New(self.size(dim)));
  for (std::int64_t i = 0; list && i < self.size(dim); ++i) {
    PyObject* item = list_from(self, dim + 1, data + i * step);
    if (!item) return nullptr;
    PyList_SET_ITEM(list.get(), i, item);
  }
  return list.release();
}

PyObject* THPVariable_tolist(PyObject* self_, PyObject*) {
  HANDLE_TH_ERRORS
  if (check_has_torch_function(self_)) return handle_torch_function_method(self_, "tolist");
  const Tensor self = THPVariable_Unpack(self_);
  return list_from(self, 0, self.data());
  END_HANDLE_TH_ERRORS
}

/// A question about the tensor that takes no arguments: `answer` gives a new reference.
template <const char* const& name, PyObject* (*answer)(const Tensor&)>
PyObject* THPVariable_query(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  if (check_has_torch_function(self)) return handle_torch_function_method(self, name);
  return answer(THPVariable_Unpack(self));
  END_HANDLE_TH_ERRORS
}

constexpr const char* n_numel = "numel";
constexpr const char* n_nelement = "nelement";
constexpr const char* n_dim = "dim";
constexpr const char* n_ndimension = "ndimension";
constexpr const char* n_data_ptr = "data_ptr";
constexpr const char* n_element_size = "element_size";
constexpr const char* n_storage_offset = "storage_offset";
constexpr const char* n_is_contiguous = "is_contiguous";
constexpr const char* n_is_inference = "is_inference";
constexpr const char* n_is_floating_point = "is_floating_point";
constexpr const char* n_is_complex = "is_complex";
constexpr const char* n_is_signed = "is_signed";
constexpr const char* n_get_device = "get_device";

PyObject* numel(const Tensor& self) { return PyLong_FromLongLong(self.numel()); }
PyObject* dim(const Tensor& self) { return PyLong_FromLongLong(self.dim()); }
PyObject* data_ptr(const Tensor& self) { return PyLong_FromVoidPtr(self.data()); }
PyObject* element_size(const Tensor& self) { return PyLong_FromLongLong(self.element_size()); }
PyObject* storage_offset(const Tensor& self) { return PyLong_FromLongLong(self.storage_offset()); }
PyObject* is_contiguous(const Tensor& self) { return PyBool_FromLong(self.is_contiguous()); }
PyObject* is_inference(const Tensor& self) { return PyBool_FromLong(self.impl()->is_inference()); }
PyObject* is_floating_point(const Tensor& self) { return PyBool_FromLong(isFloatingType(self.dtype())); }
PyObject* is_complex(const Tensor&) { Py_RETURN_FALSE; }
PyObject* is_signed(const Tensor& self) { return PyBool_FromLong(isSignedType(self.dtype())); }
PyObject* get_device(const Tensor&) { return PyLong_FromLong(-1); }

PyObject* THPVariable_bool_scalar(PyObject* self_, PyObject*) {
  HANDLE_TH_ERRORS
  if (check_has_torch_function(self_)) return handle_torch_function_method(self_, "__bool__");
  const Tensor& self = THPVariable_Unpack(self_);
  if (self.numel() == 0) raise("Boolean value of Tensor with no values is ambiguous");
  if (self.numel() > 1) raise("Boolean value of Tensor with more than one value is ambiguous");
  return PyBool_FromLong(item(self).toBool());
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_float_scalar(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  if (check_has_torch_function(self)) return handle_torch_function_method(self, "__float__");
  return PyFloat_FromDouble(item(THPVariable_Unpack(self)).toDouble());
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_int_scalar(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  if (check_has_torch_function(self)) return handle_torch_function_method(self, "__int__");
  const Scalar value = item(THPVariable_Unpack(self));
  // A float may be beyond int64: Python's own conversion has room for it, and the words for nan and inf.
  return value.isFloatingPoint() ? PyLong_FromDouble(value.toDouble()) : PyLong_FromLongLong(value.toLong());
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_index_scalar(PyObject* self_, PyObject*) {
  HANDLE_TH_ERRORS
  if (check_has_torch_function(self_)) return handle_torch_function_method(self_, "__index__");
  const Tensor& self = THPVariable_Unpack(self_);
  if (!isIntegralType(self.dtype(), /*includeBool=*/true) || self.numel() != 1) {
    throw TypeError("only integer tensors of a single element can be converted to an index");
  }
  return PyLong_FromLongLong(item(self).toLong());
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_complex_scalar(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  if (check_has_torch_function(self)) return handle_torch_function_method(self, "__complex__");
  return PyComplex_FromDoubles(item(THPVariable_Unpack(self)).toDouble(), 0.0);
  END_HANDLE_TH_ERRORS
}

/// size() and stride(): all of them, or one by its dimension.
template <bool strides>
PyObject* THPVariable_size_or_stride(PyObject* self_, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser(strides ? std::initializer_list<const char*>{"stride()", "stride(int64_t dim)"}
                                              : std::initializer_list<const char*>{"size()", "size(int64_t dim)"});
  ParsedArgs<1> parsed_args;
  const PythonArgs r = parser.parse(self_, args, kwargs, parsed_args);
  if (r.has_torch_function()) return handle_torch_function(r, self_, args, kwargs, THPVariableClass, "tensorlib.Tensor");
  const Tensor& self = THPVariable_Unpack(self_);
  if (r.idx == 0) return strides ? wrap(self.strides()) : THPSize_New(self.sizes());
  if (self.dim() == 0) throw IndexError("Dimension specified as " + std::to_string(r.toInt64(0)) + " but tensor has no dimensions");
  const std::int64_t dim = native::wrap_dim(r.toInt64(0), self.dim());
  return PyLong_FromLongLong(strides ? self.stride(dim) : self.size(dim));
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_as_subclass(PyObject* self, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"as_subclass(PyObject* cls)"});
  ParsedArgs<1> parsed_args;
  PyObject* type = parser.parse(nullptr, args, kwargs, parsed_args).pyobject(0);
  if (!PyType_Check(type) || !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), &THPVariableType)) {
    throw TypeError(std::string("as_subclass: a subclass of tensorlib.Tensor is needed, not ") +
                    (PyType_Check(type) ? reinterpret_cast<PyTypeObject*>(type)->tp_name : Py_TYPE(type)->tp_name));
  }
  return THPVariable_NewWithVar(reinterpret_cast<PyTypeObject*>(type), _ops::alias::call(THPVariable_Unpack(self)));
  END_HANDLE_TH_ERRORS
}

PyObject* to_dtype(PyObject* self_, ScalarType dtype, bool copy) {
  const Tensor self = THPVariable_Unpack(self_);
  if (self.dtype() == dtype && !copy) return Py_NewRef(self_);
  Tensor result;
  {
    const gil_scoped_release no_gil;
    result = _ops::to_dtype::call(self, dtype, /*non_blocking=*/false, copy);
  }
  return THPVariable_Wrap(result);
}

PyObject* THPVariable_to(PyObject* self_, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"to(Device device=None, ScalarType dtype=None, bool non_blocking=False, bool copy=False)",
                                       "to(ScalarType dtype, bool non_blocking=False, bool copy=False)",
                                       "to(Tensor other, bool non_blocking=False, bool copy=False)"});
  ParsedArgs<4> parsed_args;
  const PythonArgs r = parser.parse(self_, args, kwargs, parsed_args);
  if (r.has_torch_function()) return handle_torch_function(r, self_, args, kwargs, THPVariableClass, "tensorlib.Tensor");
  const ScalarType own = THPVariable_Unpack(self_).dtype();
  if (r.idx == 1) return to_dtype(self_, r.scalartype(0), r.toBool(2));
  if (r.idx == 2) return to_dtype(self_, r.tensor(0).dtype(), r.toBool(2));
  if (!r.isNone(0)) check_device(r.args[0]);
  return to_dtype(self_, r.scalartypeOptional(1).value_or(own), r.toBool(3));
  END_HANDLE_TH_ERRORS
}

constexpr const char* n_float = "float";
constexpr const char* n_double = "double";
constexpr const char* n_int = "int";
constexpr const char* n_long = "long";
constexpr const char* n_short = "short";
constexpr const char* n_char = "char";
constexpr const char* n_byte = "byte";
constexpr const char* n_bool = "bool";

template <const char* const& name, ScalarType dtype>
PyObject* THPVariable_cast(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  if (check_has_torch_function(self)) return handle_torch_function_method(self, name);
  return to_dtype(self, dtype, /*copy=*/false);
  END_HANDLE_TH_ERRORS
}

PyObject* unsupported_dtype(PyObject*, PyObject*) {
  PyErr_SetString(
      PyExc_TypeError,
      "complex, half and bfloat16 are not supported: the element types are float32, float64, int64, int32, int16, int8, uint8 and "
      "bool");
  return nullptr;
}

PyObject* THPVariable_numpy(PyObject* self, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"numpy(*, bool force=False)"});
  ParsedArgs<1> parsed_args;
  const PythonArgs r = parser.parse(self, args, kwargs, parsed_args);
  if (r.has_torch_function()) return handle_torch_function(r, self, args, kwargs, THPVariableClass, "tensorlib.Tensor");
  return tensor_to_numpy(self, r.toBool(0));
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_requires_grad_(PyObject* self, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"requires_grad_(bool requires_grad=True)"});
  ParsedArgs<1> parsed_args;
  const PythonArgs r = parser.parse(self, args, kwargs, parsed_args);
  if (r.has_torch_function()) return handle_torch_function(r, self, args, kwargs, THPVariableClass, "tensorlib.Tensor");
  if (PyObject_SetAttrString(self, "requires_grad", r.toBool(0) ? Py_True : Py_False) < 0) return nullptr;
  return Py_NewRef(self);
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_new_tensor(PyObject* self, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser(
      {"new_tensor(PyObject* data, *, ScalarType dtype=None, Device device=None, bool requires_grad=False)"});
  ParsedArgs<4> parsed_args;
  const PythonArgs r = parser.parse(self, args, kwargs, parsed_args);
  if (r.has_torch_function()) return handle_torch_function(r, self, args, kwargs, THPVariableClass, "tensorlib.Tensor");
  if (!r.isNone(2)) check_device(r.args[2]);
  THPObjectPtr result(wrap(tensor_from_data(r.pyobject(0), r.scalartypeOptional(1).value_or(THPVariable_Unpack(self).dtype()))));
  if (r.toBool(3) && PyObject_SetAttrString(result.get(), "requires_grad", Py_True) < 0) return nullptr;
  return result.release();
  END_HANDLE_TH_ERRORS
}

/// The capsule that __dlpack__ gives.
PyObject* THPVariable_to_dlpack(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  return toDLPack(THPVariable_Unpack(self));
  END_HANDLE_TH_ERRORS
}

/// An object of class `cls` over the memory of `data`: how Parameter and other subclasses are made.
PyObject* THPVariable_make_subclass(PyObject*, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"_make_subclass(PyObject* cls, Tensor data, bool require_grad=False)"});
  ParsedArgs<3> parsed_args;
  const PythonArgs r = parser.parse(nullptr, args, kwargs, parsed_args);
  PyObject* type = r.pyobject(0);
  if (!PyType_Check(type) || !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), &THPVariableType)) {
    throw TypeError("_make_subclass: cls must be a subclass of tensorlib.Tensor");
  }
  const Tensor data = r.tensor(1);
  const Tensor own = as_strided(data, data.sizes(), data.strides(), data.storage_offset());
  THPObjectPtr result(THPVariable_NewWithVar(reinterpret_cast<PyTypeObject*>(type), own));
  if (result && PyObject_SetAttrString(result.get(), "requires_grad", r.toBool(2) ? Py_True : Py_False) < 0) return nullptr;
  return result.release();
  END_HANDLE_TH_ERRORS
}

}  // namespace
}  // namespace tensorlib::autograd

namespace tensorlib {

using namespace autograd;

PyMethodDef variable_methods[] = {
    {"__bool__", THPVariable_bool_scalar, METH_NOARGS, nullptr},
    {"__complex__", THPVariable_complex_scalar, METH_NOARGS, nullptr},
    {"__float__", THPVariable_float_scalar, METH_NOARGS, nullptr},
    {"__index__", THPVariable_index_scalar, METH_NOARGS, nullptr},
    {"__int__", THPVariable_int_scalar, METH_NOARGS, nullptr},
    {"_make_subclass", castPyCFunctionWithKeywords<THPVariable_make_subclass>(), with_keywords | METH_STATIC,
     "_make_subclass(cls, data, require_grad=False): an object of class cls over the memory of data."},
    {"_to_dlpack", THPVariable_to_dlpack, METH_NOARGS, "The tensor as a DLPack capsule."},
    {"as_subclass", castPyCFunctionWithKeywords<THPVariable_as_subclass>(), with_keywords,
     "as_subclass(cls): a view of self whose Python class is cls."},
    {"bfloat16", unsupported_dtype, METH_NOARGS, "Not supported: raises TypeError."},
    {"bool", THPVariable_cast<n_bool, ScalarType::Bool>, METH_NOARGS, "self as bool."},
    {"byte", THPVariable_cast<n_byte, ScalarType::Byte>, METH_NOARGS, "self as uint8."},
    {"char", THPVariable_cast<n_char, ScalarType::Char>, METH_NOARGS, "self as int8."},
    {"data_ptr", THPVariable_query<n_data_ptr, data_ptr>, METH_NOARGS, "Address of the first element."},
    {"dim", THPVariable_query<n_dim, dim>, METH_NOARGS, "Number of dimensions."},
    {"double", THPVariable_cast<n_double, ScalarType::Double>, METH_NOARGS, "self as float64."},
    {"element_size", THPVariable_query<n_element_size, element_size>, METH_NOARGS, "Bytes of one element."},
    {"float", THPVariable_cast<n_float, ScalarType::Float>, METH_NOARGS, "self as float32."},
    {"get_device", THPVariable_query<n_get_device, get_device>, METH_NOARGS, "-1: the CPU has no number."},
    {"half", unsupported_dtype, METH_NOARGS, "Not supported: raises TypeError."},
    {"int", THPVariable_cast<n_int, ScalarType::Int>, METH_NOARGS, "self as int32."},
    {"is_complex", THPVariable_query<n_is_complex, is_complex>, METH_NOARGS, "False."},
    {"is_contiguous", THPVariable_query<n_is_contiguous, is_contiguous>, METH_NOARGS, "Whether elements lie row by row without gaps."},
    {"is_floating_point", THPVariable_query<n_is_floating_point, is_floating_point>, METH_NOARGS, "Whether the elements are floats."},
    {"is_inference", THPVariable_query<n_is_inference, is_inference>, METH_NOARGS, "Whether it was made in inference mode."},
    {"is_signed", THPVariable_query<n_is_signed, is_signed>, METH_NOARGS, "Whether elements can be negative."},
    {"item", THPVariable_item, METH_NOARGS, "The only element as a Python number."},
    {"long", THPVariable_cast<n_long, ScalarType::Long>, METH_NOARGS, "self as int64."},
    {"ndimension", THPVariable_query<n_ndimension, dim>, METH_NOARGS, "Number of dimensions."},
    {"nelement", THPVariable_query<n_nelement, numel>, METH_NOARGS, "Number of elements."},
    {"new_tensor", castPyCFunctionWithKeywords<THPVariable_new_tensor>(), with_keywords,
     "new_tensor(data, *, dtype=None): a tensor of self's type from data."},
    {"numel", THPVariable_query<n_numel, numel>, METH_NOARGS, "Number of elements."},
    {"numpy", castPyCFunctionWithKeywords<THPVariable_numpy>(), with_keywords,
     "numpy(*, force=False): a NumPy array over the same memory; with force also of a tensor that requires grad."},
    {"requires_grad_", castPyCFunctionWithKeywords<THPVariable_requires_grad_>(), with_keywords,
     "requires_grad_(requires_grad=True): sets requires_grad; returns self."},
    {"short", THPVariable_cast<n_short, ScalarType::Short>, METH_NOARGS, "self as int16."},
    {"size", castPyCFunctionWithKeywords<THPVariable_size_or_stride<false>>(), with_keywords, "size(dim=None): the sizes, or one of them."},
    {"storage_offset", THPVariable_query<n_storage_offset, storage_offset>, METH_NOARGS, "Elements before the first, in the storage."},
    {"stride", castPyCFunctionWithKeywords<THPVariable_size_or_stride<true>>(), with_keywords, "stride(dim=None): steps in elements."},
    {"to", castPyCFunctionWithKeywords<THPVariable_to>(), with_keywords,
     "to(dtype) or to(other): self in another element type; self itself if it has that type."},
    {"tolist", THPVariable_tolist, METH_NOARGS, "The elements as nested lists; a number for a 0-dim tensor."},
    {},
};

}  // namespace tensorlib
