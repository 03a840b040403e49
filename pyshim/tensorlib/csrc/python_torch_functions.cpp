// Functions of the module that are written by hand: tensors from Python data, modes and settings, a look into the dispatcher.
#include "python_torch_functions.h"

#include <string>

#include "DLConvertor.h"
#include "DType.h"
#include "Exceptions.h"
#include "core/Exception.h"
#include "core/LocalDispatchKeySet.h"
#include "core/Parallel.h"
#include "gil.h"
#include "native/DispatchStub.h"
#include "ops/Registration.h"
#include "python_arg_parser.h"
#include "python_numbers.h"
#include "python_operators.h"
#include "python_torch_function.h"
#include "python_variable.h"
#include "tensor_new.h"
#include "tensor_numpy.h"

namespace tensorlib {

PyObject* THPVariableFunctionsModule = nullptr;

PyObject* wrap_new(const Tensor& tensor, bool requires_grad) {
  if (requires_grad && !isFloatingType(tensor.dtype())) raise("Only Tensors of floating point dtype can require gradients");
  PyObject* result = THPVariable_Wrap(tensor);
  if (requires_grad && result && PyObject_SetAttrString(result, "requires_grad", Py_True) < 0) Py_CLEAR(result);
  return result;
}

void check_out_type_matches(const Tensor& out, std::optional<ScalarType> dtype) {
  if (!dtype || *dtype == out.dtype()) return;
  raise("dtype " + std::string(pythonName(*dtype)) + " does not match dtype of out parameter (" + pythonName(out.dtype()) + ")");
}

namespace {

PyObject* THPVariable_tensor(PyObject*, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser(
      {"tensor(PyObject* data, *, ScalarType dtype=None, Device device=None, bool pin_memory=False, bool requires_grad=False)"});
  ParsedArgs<5> parsed_args;
  const PythonArgs r = parser.parse(nullptr, args, kwargs, parsed_args);
  if (check_has_torch_function(r.args[0])) {
    OverloadedArgs overloaded{r.args[0]};
    const THPObjectPtr function(PyObject_GetAttrString(THPVariableFunctionsModule, "tensor"));
    return handle_torch_function_no_python_torch_dispatch(overloaded, args, kwargs, "tensor", function.get(), "tensorlib");
  }
  if (!r.isNone(2)) check_device(r.args[2]);
  return wrap_new(tensor_from_data(r.pyobject(0), r.scalartypeOptional(1).value_or(ScalarType::Undefined)), r.toBool(4));
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_as_tensor(PyObject*, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser({"as_tensor(PyObject* data, *, ScalarType dtype=None, Device device=None)"});
  ParsedArgs<3> parsed_args;
  const PythonArgs r = parser.parse(nullptr, args, kwargs, parsed_args);
  if (!r.isNone(2)) check_device(r.args[2]);
  return wrap(as_tensor(r.pyobject(0), r.scalartypeOptional(1).value_or(ScalarType::Undefined)));
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_from_numpy(PyObject*, PyObject* array) {
  HANDLE_TH_ERRORS
  return wrap(tensor_from_numpy(array, /*warn_if_not_writable=*/true));
  END_HANDLE_TH_ERRORS
}

PyObject* THPVariable_frombuffer(PyObject*, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser(
      {"frombuffer(PyObject* buffer, *, ScalarType dtype, int64_t count=-1, int64_t offset=0, bool requires_grad=False)"});
  ParsedArgs<5> parsed_args;
  const PythonArgs r = parser.parse(nullptr, args, kwargs, parsed_args);
  return wrap_new(tensor_frombuffer(r.pyobject(0), r.scalartype(1), r.toInt64(2), r.toInt64(3)), r.toBool(4));
  END_HANDLE_TH_ERRORS
}

PyObject* from_dlpack(PyObject*, PyObject* capsule) {
  HANDLE_TH_ERRORS
  return wrap(fromDLPack(capsule));
  END_HANDLE_TH_ERRORS
}

PyObject* get_default_dtype_(PyObject*, PyObject*) { return THPDtype_New(get_default_dtype()); }

PyObject* set_default_dtype_(PyObject*, PyObject* type) {
  HANDLE_TH_ERRORS
  if (!THPDtype_Check(type))
    throw TypeError(std::string("invalid dtype object: only floating-point types are supported as the default type, not ") +
                    Py_TYPE(type)->tp_name);
  set_default_dtype(THPDtype_Unpack(type));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* get_num_threads_(PyObject*, PyObject*) { return PyLong_FromLong(get_num_threads()); }

PyObject* set_num_threads_(PyObject*, PyObject* number) {
  HANDLE_TH_ERRORS
  if (!THPUtils_checkLong(number)) throw TypeError(std::string("set_num_threads expects an int, but got ") + Py_TYPE(number)->tp_name);
  const std::int64_t threads = THPUtils_unpackLong(number);
  if (threads <= 0 || threads > 1 << 16) raise("set_num_threads expects a positive integer, but got " + std::to_string(threads));
  set_num_threads(static_cast<int>(threads));
  Py_RETURN_NONE;
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
  THPVariable_setClass(reinterpret_cast<PyTypeObject*>(type));
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

}  // namespace

PyMethodDef torch_functions[] = {
    {"as_tensor", castPyCFunctionWithKeywords<THPVariable_as_tensor>(), with_keywords,
     "as_tensor(data, dtype=None): data as a tensor; tensors and arrays of the right type are not copied."},
    {"from_numpy", THPVariable_from_numpy, METH_O, "from_numpy(array): a tensor over the memory of the array."},
    {"frombuffer", castPyCFunctionWithKeywords<THPVariable_frombuffer>(), with_keywords,
     "frombuffer(buffer, *, dtype, count=-1, offset=0): a 1-dim tensor over the memory of an object with a buffer."},
    {"get_cpu_capability", get_cpu_capability, METH_NOARGS, "The capability whose kernels run: DEFAULT, AVX2 or AVX512."},
    {"get_default_dtype", get_default_dtype_, METH_NOARGS, "The type of tensors of floats that are not given one."},
    {"get_num_threads", get_num_threads_, METH_NOARGS, "How many threads compute a large operator."},
    {"is_grad_enabled", is_grad_enabled, METH_NOARGS, "Whether this thread records for gradients."},
    {"is_inference_mode_enabled", is_inference_mode_enabled, METH_NOARGS, "Whether this thread makes inference tensors."},
    {"set_default_dtype", set_default_dtype_, METH_O, "set_default_dtype(d): float32 or float64."},
    {"set_num_threads", set_num_threads_, METH_O, "set_num_threads(number): results do not depend on it."},
    {"tensor", castPyCFunctionWithKeywords<THPVariable_tensor>(), with_keywords,
     "tensor(data, *, dtype=None, requires_grad=False): a tensor from numbers, nested sequences of them, arrays; always a copy."},
    {"_dispatch_dump_table", dispatch_dump, METH_O, "The computed dispatch table of an operator, \"tensorlib::pow.Tensor_Scalar\"."},
    {"_dispatch_keys", dispatch_keys, METH_O, "The dispatch keys of a tensor."},
    {"_from_dlpack", from_dlpack, METH_O, "The tensor of a DLPack capsule."},
    {"_set_grad_enabled", set_grad_enabled, METH_O, nullptr},
    {"_set_inference_mode", set_inference_mode, METH_O, nullptr},
    {"_set_tensor_class", set_tensor_class, METH_O, nullptr},
    {},
};

}  // namespace tensorlib
