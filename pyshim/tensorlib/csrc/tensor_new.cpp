#include "tensor_new.h"

#include <memory>
#include <string>

#include "DType.h"
#include "Exceptions.h"
#include "Size.h"
#include "core/Dispatch.h"
#include "core/Exception.h"
#include "gil.h"
#include "native/TensorConversions.h"
#include "ops/Operators.h"
#include "python_arg_parser.h"
#include "python_numbers.h"
#include "python_variable.h"
#include "tensor_numpy.h"

namespace tensorlib {

namespace {

constexpr std::size_t max_dimensions = 64;

bool is_text(PyObject* data) { return PyUnicode_Check(data) || PyBytes_Check(data); }
bool is_number(PyObject* data) { return THPUtils_checkScalar(data) || PyComplex_Check(data); }
/// A sequence to go into: no number, no text, and no tensor, which counts as a number.
bool is_nested(PyObject* data) {
  if (THPVariable_Check(data)) return false;
  if (PyList_Check(data) || PyTuple_Check(data)) return true;
  return !is_number(data) && !is_text(data) && !PyDict_Check(data) && PySequence_Check(data) && !is_numpy_scalar(data);
}

[[noreturn]] void reject_complex() {
  throw TypeError("complex numbers are not supported: a tensor holds bool, integers or real numbers (see tensorlib.dtype)");
}

Py_ssize_t length(PyObject* sequence) {
  const Py_ssize_t size = PySequence_Size(sequence);
  if (size < 0) throw python_error();
  return size;
}

THPObjectPtr element(PyObject* sequence, Py_ssize_t i) {
  THPObjectPtr item(PySequence_GetItem(sequence, i));
  if (!item) throw python_error();
  return item;
}

DimVector compute_sizes(PyObject* data) {
  DimVector sizes;
  THPObjectPtr current(Py_NewRef(data));
  while (is_nested(current.get())) {
    const Py_ssize_t size = length(current.get());
    sizes.push_back(size);
    if (sizes.size() > max_dimensions) throw ValueError(std::string("too many dimensions '") + Py_TYPE(current.get())->tp_name + "'");
    if (size == 0) break;
    current = element(current.get(), 0);
    if (current.get() == data) throw TypeError("new(): self-referential lists are incompatible");
  }
  if (!sizes.empty() && is_text(current.get())) {
    throw ValueError(std::string("too many dimensions '") + Py_TYPE(current.get())->tp_name + "'");
  }
  return sizes;
}

void store_scalar(char* place, ScalarType dtype, PyObject* object) {
  if (PyComplex_Check(object)) reject_complex();
  if (THPVariable_Check(object)) {
    if (THPVariable_Unpack(object).numel() != 1) throw ValueError("only one element tensors can be converted to Python scalars");
  } else if (!THPUtils_checkScalar(object)) {
    // What a number's own conversion says of it: 'list' object cannot be interpreted as an integer.
    if (isFloatingType(dtype)) throw TypeError(std::string("must be real number, not ") + Py_TYPE(object)->tp_name);
    throw TypeError(std::string("'") + Py_TYPE(object)->tp_name + "' object cannot be interpreted as an integer");
  }
  if (isFloatingType(dtype) && PyLong_Check(object) && !PyBool_Check(object)) {  // an int of any size
    const Scalar number(THPUtils_unpackDouble(object));
    TENSORLIB_DISPATCH_FLOATING_TYPES(dtype, "tensor", { *reinterpret_cast<scalar_t*>(place) = number.cast<scalar_t>(); });
    return;
  }
  const Scalar number = unpack_scalar(object);
  if (isFloatingType(dtype)) {  // a float beyond float32 becomes infinite
    TENSORLIB_DISPATCH_FLOATING_TYPES(dtype, "tensor", { *reinterpret_cast<scalar_t*>(place) = number.cast<scalar_t>(); });
    return;
  }
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(dtype, "tensor", { *reinterpret_cast<scalar_t*>(place) = number.to<scalar_t>(); });
}

char* recursive_store(char* place, IntArrayRef sizes, std::size_t dim, ScalarType dtype, PyObject* data) {
  if (dim == sizes.size()) {
    store_scalar(place, dtype, data);
    return place + elementSize(dtype);
  }
  if (!is_nested(data)) {
    if (is_text(data) || !PySequence_Check(data)) throw TypeError("not a sequence");
  }
  const Py_ssize_t size = length(data);
  if (size != sizes[dim]) {
    throw ValueError("expected sequence of length " + std::to_string(sizes[dim]) + " at dim " + std::to_string(dim) + " (got " +
                     std::to_string(size) + ")");
  }
  const bool fast = PyList_Check(data) || PyTuple_Check(data);
  for (Py_ssize_t i = 0; i < size; ++i) {
    // A conversion may run Python code that shortens the list.
    if (fast && i >= PySequence_Fast_GET_SIZE(data)) throw ValueError("the data changed while it was read");
    const THPObjectPtr item = fast ? THPObjectPtr(Py_NewRef(PySequence_Fast_GET_ITEM(data, i))) : element(data, i);
    place = recursive_store(place, sizes, dim + 1, dtype, item.get());
  }
  return place;
}

ScalarType infer(PyObject* data, int depth) {
  if (PyFloat_Check(data)) return is_numpy_scalar(data) ? ScalarType::Double : get_default_dtype();
  if (PyBool_Check(data) || is_numpy_bool(data)) return ScalarType::Bool;
  if (PyLong_Check(data)) return ScalarType::Long;
  if (PyComplex_Check(data)) reject_complex();
  if (THPVariable_Check(data)) return THPVariable_Unpack(data).dtype();
  if (is_numpy_array(data) || is_numpy_scalar(data)) return numpy_dtype_to_scalar_type(data);
  if (is_text(data)) throw TypeError(std::string("new(): invalid data type '") + Py_TYPE(data)->tp_name + "'");
  if (depth > static_cast<int>(max_dimensions)) throw ValueError(std::string("too many dimensions '") + Py_TYPE(data)->tp_name + "'");
  if (!PyDict_Check(data) && PySequence_Check(data)) {
    const Py_ssize_t size = length(data);
    if (size == 0) return get_default_dtype();
    ScalarType type = ScalarType::Undefined;
    for (Py_ssize_t i = 0; i < size; ++i) {
      const THPObjectPtr item = element(data, i);
      if (item.get() == data) throw TypeError("new(): self-referential lists are incompatible");
      type = promoteTypes(type, infer(item.get(), depth + 1));
      if (type == ScalarType::Double) return type;
    }
    return type;
  }
  raise(std::string("Could not infer dtype of ") + Py_TYPE(data)->tp_name);
}

Tensor from_sequence(PyObject* data, ScalarType dtype) {
  const DimVector sizes = compute_sizes(data);
  if (dtype == ScalarType::Undefined) dtype = infer(data, 0);
  if (is_text(data)) throw TypeError(std::string("new(): invalid data type '") + Py_TYPE(data)->tp_name + "'");
  const Tensor result = empty(sizes, dtype);
  if (result.numel() > 0 || sizes.empty()) recursive_store(result.data(), sizes, 0, dtype, data);
  return result;
}

}  // namespace

ScalarType infer_scalar_type(PyObject* data) { return infer(data, 0); }

Tensor tensor_from_data(PyObject* data, ScalarType dtype) {
  if (THPVariable_Check(data)) {
    if (PyErr_WarnEx(PyExc_UserWarning,
                     "To copy construct from a tensor, it is recommended to use sourceTensor.clone().detach() or "
                     "sourceTensor.clone().detach().requires_grad_(True), rather than tensorlib.tensor(sourceTensor).",
                     1) < 0) {
      throw python_error();
    }
    const Tensor& source = THPVariable_Unpack(data);
    return native::to(source, dtype == ScalarType::Undefined ? source.dtype() : dtype);
  }
  if (is_numpy_array(data)) {
    const Tensor source = tensor_from_numpy(data, /*warn_if_not_writable=*/false);
    return native::to(source, dtype == ScalarType::Undefined ? source.dtype() : dtype);
  }
  if (is_numpy_scalar(data) && dtype == ScalarType::Undefined) dtype = numpy_dtype_to_scalar_type(data);
  return from_sequence(data, dtype);
}

Tensor as_tensor(PyObject* data, ScalarType dtype) {
  if (!THPVariable_Check(data) && !is_numpy_array(data)) return tensor_from_data(data, dtype);
  const Tensor source = THPVariable_Check(data) ? THPVariable_Unpack(data) : tensor_from_numpy(data, /*warn_if_not_writable=*/true);
  return dtype == ScalarType::Undefined || dtype == source.dtype() ? source : native::to(source, dtype);
}

Tensor legacy_tensor_new(PyObject* args, PyObject* kwargs) {
  static const PythonArgParser parser({"new(*, Device device=None)", "new(Tensor other)", "new(IntArrayRef size, *, Device device=None)",
                                       "new(PyObject* data, *, Device device=None)"});
  ParsedArgs<2> parsed_args;
  const PythonArgs r = parser.parse(nullptr, args, kwargs, parsed_args);
  const int device = r.idx == 0 ? 0 : 1;
  if (r.idx != 1 && !r.isNone(device)) check_device(r.args[device]);
  const std::int64_t nothing[] = {0};
  if (r.idx == 0) return empty(nothing, get_default_dtype());
  if (r.idx == 1) return _ops::alias::call(r.tensor(0));
  // A list of numbers is data; a Size, or numbers one by one, is a size.
  const bool is_size = r.idx == 2 && (r.args[0] == args || THPSize_Check(r.args[0]));
  if (is_size) return empty(r.intlist(0), get_default_dtype());
  PyObject* data = r.args[0];
  if (is_text(data)) throw TypeError(std::string("new(): invalid data type '") + Py_TYPE(data)->tp_name + "'");
  if (!is_nested(data) && !is_numpy_array(data)) {
    throw TypeError(std::string("new(): data must be a sequence (got ") + Py_TYPE(data)->tp_name + ")");
  }
  return tensor_from_data(data, get_default_dtype());
}

namespace {

void release_buffer(void* context) {
  auto* view = static_cast<Py_buffer*>(context);
  if (Py_IsInitialized()) {
    const PyGILState_STATE state = PyGILState_Ensure();
    PyBuffer_Release(view);
    PyGILState_Release(state);
  }
  delete view;
}

}  // namespace

Tensor tensor_frombuffer(PyObject* object, ScalarType dtype, std::int64_t count, std::int64_t offset) {
  auto view = std::make_unique<Py_buffer>();
  const bool writable = PyObject_GetBuffer(object, view.get(), PyBUF_WRITABLE) == 0;
  if (!writable) {
    PyErr_Clear();
    if (PyObject_GetBuffer(object, view.get(), PyBUF_SIMPLE) < 0) {
      PyErr_Clear();
      throw ValueError("object does not implement Python buffer protocol.");
    }
  }
  const std::int64_t size = static_cast<std::int64_t>(elementSize(dtype));
  const std::int64_t length = view->len;
  const auto fail = [&](const std::string& message) {
    PyBuffer_Release(view.get());
    throw ValueError(message);
  };
  if (length == 0 || count == 0)
    fail("both buffer length (" + std::to_string(length) + ") and count (" + std::to_string(count) + ") must not be 0");
  if (offset < 0 || offset >= length) {
    fail("offset (" + std::to_string(offset) + " bytes) must be non-negative and no greater than buffer length (" + std::to_string(length) +
         " bytes) minus 1");
  }
  if (count < 0) {
    if ((length - offset) % size) {
      fail("buffer length (" + std::to_string(length - offset) + " bytes) after offset (" + std::to_string(offset) +
           " bytes) must be a multiple of element size (" + std::to_string(size) + ")");
    }
    count = (length - offset) / size;
  }
  if (count > (length - offset) / size) {
    fail("requested buffer length (" + std::to_string(count) + " * " + std::to_string(size) + " bytes) after offset (" +
         std::to_string(offset) + " bytes) must not be greater than actual buffer length (" + std::to_string(length) + " bytes)");
  }
  if (reinterpret_cast<std::uintptr_t>(static_cast<char*>(view->buf) + offset) % static_cast<std::uintptr_t>(size)) {
    fail("the buffer's elements are not aligned to " + std::to_string(size) + " bytes: choose another offset or copy");
  }
  const std::int64_t sizes[] = {count}, strides[] = {1};
  char* data = static_cast<char*>(view->buf) + offset;
  const Tensor result = from_blob(data, sizes, strides, dtype, release_buffer, view.release());
  if (!writable &&
      PyErr_WarnEx(PyExc_UserWarning,
                   "The given buffer is not writable, and tensors do not support non-writable memory: writing to the tensor is "
                   "undefined behavior. Copy the buffer to protect its data.",
                   1) < 0) {
    throw python_error();
  }
  return result;
}

}  // namespace tensorlib
