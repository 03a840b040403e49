#include "python_torch_functions.h"

#include "DType.h"
#include "Exceptions.h"
#include "Generator.h"
#include "core/Exception.h"
#include "core/LocalDispatchKeySet.h"
#include "gil.h"
#include "native/DispatchStub.h"
#include "native/TensorFactories.h"
#include "ops/Operators.h"
#include "ops/Registration.h"
#include "python_arg_parser.h"
#include "python_variable.h"
#include "tensor_new.h"

namespace tensorlib {

namespace {

PyObject* wrap_new(const Tensor& tensor, bool requires_grad) {
  tensor.impl()->set_requires_grad(requires_grad);
  return THPVariable_Wrap(tensor);
}

PyObject* THPVariable_randn(PyObject*, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"randn(IntArrayRef size, *, ScalarType dtype=None, bool requires_grad=False)"});
  const PythonArgs r = parser.parse(args, kwargs);
  const DimVector size = r.intlist(0);
  const ScalarType dtype = r.dtype(1, default_dtype);
  Tensor result;
  {
    const gil_scoped_release no_gil;
    result = _ops::randn::call(size, dtype);
  }
  return wrap_new(result, r.boolean(2, false));
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_empty(PyObject*, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"empty(IntArrayRef size, *, ScalarType dtype=None, bool requires_grad=False)"});
  const PythonArgs r = parser.parse(args, kwargs);
  return wrap_new(empty(r.intlist(0), r.dtype(1, default_dtype)), r.boolean(2, false));
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_zeros(PyObject*, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"zeros(IntArrayRef size, *, ScalarType dtype=None, bool requires_grad=False)"});
  const PythonArgs r = parser.parse(args, kwargs);
  return wrap_new(native::full(r.intlist(0), 0.0, r.dtype(1, default_dtype)), r.boolean(2, false));
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_ones(PyObject*, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"ones(IntArrayRef size, *, ScalarType dtype=None, bool requires_grad=False)"});
  const PythonArgs r = parser.parse(args, kwargs);
  return wrap_new(native::full(r.intlist(0), 1.0, r.dtype(1, default_dtype)), r.boolean(2, false));
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_full(PyObject*, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"full(IntArrayRef size, Scalar fill_value, *, ScalarType dtype=None, bool requires_grad=False)"});
  const PythonArgs r = parser.parse(args, kwargs);
  const Scalar value = r.scalar(1);
  if (!r.has(2) && !value.isFloatingPoint()) {
    throw TypeError("full: tensors of integers and bools are not supported yet: write the number as a float (1.) or give dtype=float32");
  }
  return wrap_new(native::full(r.intlist(0), value, r.dtype(2, default_dtype)), r.boolean(3, false));
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_tensor(PyObject*, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"tensor(object data, *, ScalarType dtype=None, bool requires_grad=False)"});
  const PythonArgs r = parser.parse(args, kwargs);
  return wrap_new(tensor_from_data(r.values[0], r.dtype(1, ScalarType::Undefined)), r.boolean(2, false));
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_pow(PyObject*, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser(
      {"pow(Tensor input, Tensor exponent)", "pow(Tensor input, Scalar exponent)", "pow(Scalar self, Tensor exponent)"});
  const PythonArgs r = parser.parse(args, kwargs);
  Tensor result;
  if (r.signature == 0) {
    const Tensor self = r.tensor(0), exponent = r.tensor(1);
    const gil_scoped_release no_gil;
    result = _ops::pow_Tensor_Tensor::call(self, exponent);
  } else if (r.signature == 1) {
    const Tensor self = r.tensor(0);
    const Scalar exponent = r.scalar(1);
    const gil_scoped_release no_gil;
    result = _ops::pow_Tensor_Scalar::call(self, exponent);
  } else {
    const Scalar self = r.scalar(0);
    const Tensor exponent = r.tensor(1);
    const gil_scoped_release no_gil;
    result = _ops::pow_Scalar::call(self, exponent);
  }
  return THPVariable_Wrap(result);
  END_HANDLE_TH_ERRORS
}

PyObject* get_cpu_capability(PyObject*, PyObject*) { return PyUnicode_FromString(native::toString(native::get_cpu_capability())); }

PyObject* is_grad_enabled(PyObject*, PyObject*) { return PyBool_FromLong(GradMode::is_enabled()); }
PyObject* is_inference_mode_enabled(PyObject*, PyObject*) { return PyBool_FromLong(InferenceMode::is_enabled()); }

PyObject* set_grad_enabled(PyObject*, PyObject* enabled) {
  GradMode::set_enabled(PyObject_IsTrue(enabled) == 1);
  Py_RETURN_NONE;
}
PyObject* set_inference_mode(PyObject*, PyObject* enabled) {
  InferenceMode::set_enabled(PyObject_IsTrue(enabled) == 1);
  Py_RETURN_NONE;
}

PyObject* set_tensor_class(PyObject*, PyObject* type) {
  if (!PyType_Check(type) || !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), &THPVariableType)) {
    PyErr_SetString(PyExc_TypeError, "a subclass of TensorBase is needed");
    return nullptr;
  }
  Py_XSETREF(THPVariableClass, Py_NewRef(type));
  Py_RETURN_NONE;
}

PyObject* dispatch_dump(PyObject*, PyObject* name) {
  HANDLE_TH_ERRORS
  const char* text = PyUnicode_AsUTF8(name);
  if (!text) throw python_error();
  return PyUnicode_FromString(dispatcher().findSchemaOrThrow(text).dumpComputedTable().c_str());
  END_HANDLE_TH_ERRORS
}

PyObject* dispatch_keys(PyObject*, PyObject* tensor) {
  if (THPVariable_Check(tensor)) return PyUnicode_FromString(toString(THPVariable_Unpack(tensor).key_set()).c_str());
  PyErr_SetString(PyExc_TypeError, "a tensor is needed");
  return nullptr;
}

template <PyCFunctionWithKeywords function>
PyCFunction cast() {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

constexpr int with_keywords = METH_VARARGS | METH_KEYWORDS;

}  // namespace

PyMethodDef torch_functions[] = {
    {"empty", cast<THPVariable_empty>(), with_keywords, "empty(*size, dtype=float32): contents undefined."},
    {"full", cast<THPVariable_full>(), with_keywords, "full(size, fill_value, *, dtype=float32)"},
    {"get_cpu_capability", get_cpu_capability, METH_NOARGS, "The capability whose kernels run: DEFAULT, AVX2 or AVX512."},
    {"is_grad_enabled", is_grad_enabled, METH_NOARGS, "Whether this thread records for gradients."},
    {"is_inference_mode_enabled", is_inference_mode_enabled, METH_NOARGS, "Whether this thread makes inference tensors."},
    {"ones", cast<THPVariable_ones>(), with_keywords, "ones(*size, dtype=float32)"},
    {"pow", cast<THPVariable_pow>(), with_keywords, "pow(input, exponent): one of them a tensor, or both."},
    {"randn", cast<THPVariable_randn>(), with_keywords, "randn(*size, dtype=float32): standard normal numbers."},
    {"tensor", cast<THPVariable_tensor>(), with_keywords, "tensor(data, *, dtype=None): from nested lists of numbers."},
    {"zeros", cast<THPVariable_zeros>(), with_keywords, "zeros(*size, dtype=float32)"},
    {"_dispatch_dump_table", dispatch_dump, METH_O, "The computed dispatch table of an operator, \"tensorlib::pow.Tensor_Scalar\"."},
    {"_dispatch_keys", dispatch_keys, METH_O, "The dispatch keys of a tensor."},
    {"_set_grad_enabled", set_grad_enabled, METH_O, nullptr},
    {"_set_inference_mode", set_inference_mode, METH_O, nullptr},
    {"_set_tensor_class", set_tensor_class, METH_O, nullptr},
    {},
};

}  // namespace tensorlib
