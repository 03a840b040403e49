#include "tensor_new.h"

#include "Exceptions.h"
#include "core/Exception.h"
#include "gil.h"
#include "native/TensorConversions.h"
#include "python_arg_parser.h"
#include "python_variable.h"

namespace tensorlib {

namespace {

constexpr std::size_t max_dimensions = 64;

bool is_list(PyObject* data) { return PyList_Check(data) || PyTuple_Check(data); }

DimVector infer_sizes(PyObject* data) {
  DimVector sizes;
  while (is_list(data)) {
    if (sizes.size() == max_dimensions) throw ValueError("too many dimensions: the nesting is deeper than 64");
    sizes.push_back(PySequence_Fast_GET_SIZE(data));
    if (sizes.back() == 0) break;
    data = PySequence_Fast_GET_ITEM(data, 0);
  }
  return sizes;
}

bool is_floating(PyObject* number) { return is_scalar(number) && unpack_scalar(number).isFloatingPoint(); }

/// Whether a float stands anywhere in the data.
bool has_float(PyObject* data) {
  if (!is_list(data)) return is_floating(data);
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(data); ++i) {
    if (has_float(PySequence_Fast_GET_ITEM(data, i))) return true;
  }
  return false;
}

void store(PyObject* number, char* place, ScalarType dtype) {
  if (!is_scalar(number)) {
    throw TypeError(std::string("a tensor is made of numbers: '") + Py_TYPE(number)->tp_name + "' is none that it can hold");
  }
  const Scalar scalar = unpack_scalar(number);
  if (dtype == ScalarType::Double) {
    *reinterpret_cast<double*>(place) = scalar.toDouble();
  } else {
    *reinterpret_cast<float*>(place) = scalar.toFloat();
  }
}

char* fill(PyObject* data, IntArrayRef sizes, std::size_t dim, char* place, ScalarType dtype) {
  if (dim == sizes.size()) {
    store(data, place, dtype);
    return place + elementSize(dtype);
  }
  if (!is_list(data)) throw ValueError("expected a sequence at dimension " + std::to_string(dim));
  if (PySequence_Fast_GET_SIZE(data) != sizes[dim]) {
    throw ValueError("expected sequence of length " + std::to_string(sizes[dim]) + " at dim " + std::to_string(dim) + " (got " +
                     std::to_string(PySequence_Fast_GET_SIZE(data)) + ")");
  }
  for (Py_ssize_t i = 0; i < sizes[dim]; ++i) place = fill(PySequence_Fast_GET_ITEM(data, i), sizes, dim + 1, place, dtype);
  return place;
}

}  // namespace

Tensor tensor_from_data(PyObject* data, ScalarType dtype) {
  if (THPVariable_Check(data)) {
    const Tensor& source = THPVariable_Unpack(data);
    return native::to(source, dtype == ScalarType::Undefined ? source.dtype() : dtype);
  }
  const DimVector sizes = infer_sizes(data);
  if (dtype == ScalarType::Undefined) {
    if (multiply_sizes(sizes) > 0 && (is_list(data) || is_scalar(data)) && !has_float(data)) {
      throw TypeError("tensors of integers and bools are not supported yet: write numbers as floats (1.) or give dtype=float32");
    }
    dtype = default_dtype;
  }
  const Tensor result = empty(sizes, dtype);
  fill(data, sizes, 0, result.data(), dtype);
  return result;
}

}  // namespace tensorlib
