// What tensorlib/storage.py needs of the memory behind tensors.
#include "python_storage.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "DType.h"
#include "Exceptions.h"
#include "core/Exception.h"
#include "python_arg_parser.h"
#include "python_variable.h"

namespace tensorlib {

namespace {

const Tensor& unpack(PyObject* object) {
  if (!THPVariable_Check(object)) throw TypeError(std::string("a tensor is needed, not ") + Py_TYPE(object)->tp_name);
  return THPVariable_Unpack(object);
}

/// Any tensor over a storage; the caller has checked that it fits.
Tensor over(const Storage& storage, ScalarType dtype, std::int64_t offset, IntArrayRef sizes, IntArrayRef strides) {
  const DispatchKeySet keys = empty({}, ScalarType::Byte).key_set();
  return Tensor(make_intrusive<TensorImpl>(storage, offset, sizes, strides, dtype, keys));
}

PyObject* storage_key(PyObject*, PyObject* tensor) {
  HANDLE_TH_ERRORS
  return PyLong_FromVoidPtr(unpack(tensor).storage().get());
  END_HANDLE_TH_ERRORS
}

PyObject* storage_bytes(PyObject*, PyObject* tensor) {
  HANDLE_TH_ERRORS
  const Storage& storage = unpack(tensor).storage();
  const std::int64_t size[] = {static_cast<std::int64_t>(storage->nbytes())}, stride[] = {1};
  return wrap(over(storage, ScalarType::Byte, 0, size, stride));
  END_HANDLE_TH_ERRORS
}

PyObject* bytes_tensor(PyObject*, PyObject* object) {
  HANDLE_TH_ERRORS
  char* data = nullptr;
  Py_ssize_t length = 0;
  if (PyBytes_AsStringAndSize(object, &data, &length) < 0) return nullptr;
  const std::int64_t size[] = {length};
  const Tensor result = empty(size, ScalarType::Byte);
  if (length) std::memcpy(result.data(), data, static_cast<std::size_t>(length));
  return wrap(result);
  END_HANDLE_TH_ERRORS
}

PyObject* copy_bytes(PyObject*, PyObject* tensor) {
  HANDLE_TH_ERRORS
  const Tensor source = unpack(tensor);
  const Tensor result = empty(source.sizes(), ScalarType::Byte);
  if (source.numel()) std::memcpy(result.data(), source.data(), static_cast<std::size_t>(source.numel()));
  return wrap(result);
  END_HANDLE_TH_ERRORS
}

PyObject* tensor_over(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  static const PythonArgParser parser(
      {"_tensor_over(Tensor bytes, ScalarType dtype, int64_t offset, IntArrayRef size, IntArrayRef stride)"});
  ParsedArgs<5> parsed_args;
  const PythonArgs r = parser.parse(nullptr, args, nullptr, parsed_args);
  const Storage storage = r.tensor(0).storage();
  const ScalarType dtype = r.scalartype(1);
  const std::int64_t offset = r.toInt64(2);
  const DimVector sizes = r.intlist(3), strides = r.intlist(4);
  const bool negative = std::any_of(strides.begin(), strides.end(), [](std::int64_t stride) { return stride < 0; });
  if (offset < 0 || negative || sizes.size() != strides.size()) throw ValueError("a tensor cannot have this offset, size and stride");
  const std::int64_t elements = multiply_sizes(sizes) == 0 ? 0 : storage_reach(sizes, strides) + offset;
  const auto available = static_cast<std::int64_t>(storage->nbytes() / elementSize(dtype));
  if (elements > available) {
    throw ValueError("a tensor of " + toString(sizes) + " needs " + std::to_string(elements) + " elements, its storage has " +
                     std::to_string(available));
  }
  return wrap(over(storage, dtype, offset, sizes, strides));
  END_HANDLE_TH_ERRORS
}

/// The same elements, without gradients and of the plain class: for looking at.
PyObject* plain_view(PyObject*, PyObject* object) {
  HANDLE_TH_ERRORS
  const Tensor& self = unpack(object);
  return wrap(over(self.storage(), self.dtype(), self.storage_offset(), self.sizes(), self.strides()));
  END_HANDLE_TH_ERRORS
}

PyMethodDef functions[] = {
    {"_storage_key", storage_key, METH_O, "A number that tensors of one memory have in common."},
    {"_storage_bytes", storage_bytes, METH_O, "The memory of a tensor as uint8."},
    {"_bytes_tensor", bytes_tensor, METH_O, "A copy of bytes as uint8."},
    {"_copy_bytes", copy_bytes, METH_O, "A copy of a contiguous tensor of uint8."},
    {"_tensor_over", tensor_over, METH_VARARGS, "A tensor over the memory of a tensor of uint8."},
    {"_plain_view", plain_view, METH_O, "The elements of a tensor in a plain tensor without gradients."},
    {},
};

}  // namespace

bool storage_initModule(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace tensorlib
