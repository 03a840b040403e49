// tensor[...]: integers, slices, None and Ellipsis give views.
#include "Exceptions.h"
#include "core/Exception.h"
#include "gil.h"
#include "native/TensorShape.h"
#include "python_arg_parser.h"
#include "python_variable.h"

namespace tensorlib {

namespace {

bool is_plain_integer(PyObject* index) { return PyIndex_Check(index) && !PyBool_Check(index) && !THPVariable_Check(index); }

Tensor apply_slice(const Tensor& self, std::int64_t dim, PyObject* slice) {
  Py_ssize_t start, stop, step;
  // Python itself refuses a step of 0 only; a negative one would need a copy.
  if (PySlice_Unpack(slice, &start, &stop, &step) < 0) throw python_error();
  if (step <= 0) throw ValueError("step must be greater than zero");
  PySlice_AdjustIndices(self.sizes()[dim], &start, &stop, step);
  return native::slice(self, dim, start, stop, step);
}

Tensor apply_integer(const Tensor& self, std::int64_t dim, PyObject* index) {
  const Py_ssize_t position = PyNumber_AsSsize_t(index, PyExc_IndexError);
  if (position == -1 && PyErr_Occurred()) throw python_error();
  return native::select(self, dim, position);
}

[[noreturn]] void reject(PyObject* index) {
  const bool known_elsewhere = THPVariable_Check(index) || PyBool_Check(index) || PySequence_Check(index);
  throw IndexError(std::string("only integers, slices (`:`), ellipsis (`...`) and None are valid indices here (got ") +
                   Py_TYPE(index)->tp_name + ")" +
                   (known_elsewhere && !PyUnicode_Check(index) ? "; indexing by tensors, lists and bools is not supported yet" : ""));
}

/// How many dimensions of the tensor an index names.
std::int64_t dimensions_named(PyObject* indices) {
  std::int64_t named = 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(indices); ++i) {
    PyObject* index = PyTuple_GET_ITEM(indices, i);
    if (index != Py_None && index != Py_Ellipsis) ++named;
  }
  return named;
}

Tensor apply_tuple(Tensor self, PyObject* indices) {
  const std::int64_t named = dimensions_named(indices);
  if (named > self.dim()) throw IndexError("too many indices for tensor of dimension " + std::to_string(self.dim()));
  const std::int64_t ellipsis_covers = self.dim() - named;
  bool ellipsis_seen = false;
  std::int64_t dim = 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(indices); ++i) {
    PyObject* index = PyTuple_GET_ITEM(indices, i);
    if (index == Py_Ellipsis) {
      if (ellipsis_seen) throw IndexError("an index can only have a single ellipsis ('...')");
      ellipsis_seen = true;
      dim += ellipsis_covers;
    } else if (index == Py_None) {
      self = native::unsqueeze(self, dim++);
    } else if (PySlice_Check(index)) {
      self = apply_slice(self, dim++, index);
    } else if (is_plain_integer(index)) {
      self = apply_integer(self, dim, index);
    } else {
      reject(index);
    }
  }
  return self;
}

PyObject* THPVariable_getitem(PyObject* self_, PyObject* index) {
  HANDLE_TH_ERRORS
  const Tensor self = THPVariable_Unpack(self_);
  if (self.dim() == 0 && is_plain_integer(index)) {
    throw IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python to convert a 0-dim tensor to a number");
  }
  const THPObjectPtr indices(PyTuple_Check(index) ? Py_NewRef(index) : PyTuple_Pack(1, index));
  if (!indices) throw python_error();
  const Tensor result = apply_tuple(self, indices.get());
  // A view always: t[()] and t[...] are not t itself.
  return THPVariable_Wrap(result.is_same(self) ? native::alias(self) : result);
  END_HANDLE_TH_ERRORS
}

Py_ssize_t THPVariable_length(PyObject* self_) {
  const Tensor& self = THPVariable_Unpack(self_);
  if (self.dim() > 0) return self.sizes()[0];
  PyErr_SetString(PyExc_TypeError, "len() of a 0-d tensor");
  return -1;
}

}  // namespace

PyMappingMethods variable_as_mapping = {THPVariable_length, THPVariable_getitem, nullptr};

}  // namespace tensorlib
