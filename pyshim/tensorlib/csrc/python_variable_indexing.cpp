// Indexing as PyTorch and NumPy have it: integers, slices, None, Ellipsis and True or False give views (select, slice, unsqueeze); tensors
// and sequences of integers or bools are gathered by one call of the operator index, or written by index_put_.
#include "python_variable_indexing.h"

#include <string>

#include "Exceptions.h"
#include "core/Exception.h"
#include "gil.h"
#include "native/TensorConversions.h"
#include "operator_note.h"
#include "ops/Operators.h"
#include "python_arg_parser.h"
#include "python_numbers.h"
#include "python_torch_function.h"
#include "python_variable.h"
#include "tensor_new.h"

namespace tensorlib {

namespace {

/// What a whole index becomes: the views are applied already, and the tensors among the indices are kept in the places where the operator
/// index wants them. A mask has one place there and stands for as many dimensions as it has.
struct Applied {
  Tensor self;
  std::vector<std::optional<Tensor>> indices;
  std::int64_t covered_by_masks = 0;  // dimensions without a place of their own

  bool has_tensors() const { return !indices.empty(); }
  /// Gives the dimension after those that the index stands for.
  std::int64_t record(std::int64_t dim, const Tensor& index);
};

bool is_plain_integer(PyObject* index) { return THPUtils_checkLong(index); }
bool is_mask(const Tensor& tensor) { return tensor.dtype() == ScalarType::Bool || tensor.dtype() == ScalarType::Byte; }

std::int64_t Applied::record(std::int64_t dim, const Tensor& index) {
  indices.resize(static_cast<std::size_t>(dim - covered_by_masks) + 1);
  indices.back() = index;
  if (!is_mask(index) || index.dim() == 0) return dim + 1;
  covered_by_masks += index.dim() - 1;
  return dim + index.dim();
}

[[noreturn]] void invalid_index(PyObject* index) {
  throw IndexError(std::string("only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got ") +
                   Py_TYPE(index)->tp_name + ")");
}

Tensor apply_select(const Tensor& self, std::int64_t dim, std::int64_t index, std::int64_t shown_dim) {
  if (self.dim() == 0) {
    throw IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python to convert a 0-dim tensor to a number");
  }
  const std::int64_t size = self.size(dim);
  if (index < -size || index >= size) {
    throw IndexError("index " + std::to_string(index) + " is out of bounds for dimension " + std::to_string(shown_dim) + " with size " +
                     std::to_string(size));
  }
  return _ops::select_int::call(self, dim, index);
}

std::int64_t unpack_index(PyObject* index) {
  const Py_ssize_t position = PyNumber_AsSsize_t(index, PyExc_IndexError);
  if (position == -1 && PyErr_Occurred()) throw python_error();
  return position;
}

Tensor apply_slice(const Tensor& self, std::int64_t dim, PyObject* slice) {
  if (self.dim() == 0) throw IndexError("slice() cannot be applied to a 0-dim tensor.");
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(slice, &start, &stop, &step) < 0) throw python_error();
  if (step <= 0) throw ValueError("step must be greater than zero");
  PySlice_AdjustIndices(self.size(dim), &start, &stop, step);
  return _ops::slice_Tensor::call(self, dim, start, stop, step);
}

Tensor bool_to_indexing_tensor(bool value) {
  // True keeps the one element of the dimension that was put in, False takes none.
  const std::int64_t size[] = {value ? 1 : 0};
  const Tensor index = empty(size, ScalarType::Long);
  if (value) *index.data_ptr<std::int64_t>() = 0;
  return index;
}

Tensor sequence_to_tensor(PyObject* sequence) {
  const Tensor index = tensor_from_data(sequence, ScalarType::Undefined);
  // An empty list says nothing of its type.
  return index.numel() == 0 && isFloatingType(index.dtype()) ? native::to(index, ScalarType::Long) : index;
}

std::int64_t count_specified_dimensions(PyObject* indices) {
  std::int64_t count = 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(indices); ++i) {
    PyObject* index = PyTuple_GET_ITEM(indices, i);
    if (THPVariable_Check(index)) {
      const Tensor& tensor = THPVariable_Unpack(index);
      count += is_mask(tensor) ? tensor.dim() : 1;
    } else if (index != Py_None && index != Py_Ellipsis && index != Py_True && index != Py_False) {
      ++count;
    }
  }
  return count;
}

/// One index of the tuple; `dim` is where it applies and moves on.
void apply_one(Applied& applied, PyObject* index, std::int64_t& dim, std::int64_t specified, std::int64_t own_dims, Py_ssize_t place) {
  Tensor& self = applied.self;
  if (is_plain_integer(index)) {
    self = apply_select(self, dim, unpack_index(index), place);
  } else if (PySlice_Check(index)) {
    self = apply_slice(self, dim++, index);
  } else if (index == Py_Ellipsis) {
    dim += own_dims - specified;
  } else if (index == Py_None) {
    self = _ops::unsqueeze::call(self, dim++);
  } else if (PyBool_Check(index)) {
    self = _ops::unsqueeze::call(self, dim);
    dim = applied.record(dim, bool_to_indexing_tensor(index == Py_True));
  } else if (THPVariable_Check(index)) {
    const Tensor tensor = THPVariable_Unpack(index);
    if (tensor.dim() == 0 && isIntegralType(tensor.dtype(), /*includeBool=*/true)) {
      if (!is_mask(tensor)) {
        self = apply_select(self, dim, item(tensor).toLong(), place);
      } else {
        self = _ops::unsqueeze::call(self, dim);
        dim = applied.record(dim, bool_to_indexing_tensor(item(tensor).toBool()));
      }
    } else {
      dim = applied.record(dim, tensor);
    }
  } else if (PySequence_Check(index) && !PyUnicode_Check(index) && !PyBytes_Check(index)) {
    const Tensor tensor = sequence_to_tensor(index);
    dim = applied.record(dim, tensor);
  } else if (PyIndex_Check(index)) {
    self = apply_select(self, dim, unpack_index(index), place);
  } else {
    invalid_index(index);
  }
}

Applied apply_slicing(const Tensor& self, PyObject* indices) {
  Applied applied{self, {}};
  const std::int64_t specified = count_specified_dimensions(indices);
  if (specified > self.dim()) throw IndexError("too many indices for tensor of dimension " + std::to_string(self.dim()));
  std::int64_t dim = 0;
  bool ellipsis_seen = false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(indices); ++i) {
    PyObject* index = PyTuple_GET_ITEM(indices, i);
    if (index == Py_Ellipsis) {
      if (ellipsis_seen) throw IndexError("an index can only have a single ellipsis ('...')");
      ellipsis_seen = true;
    }
    apply_one(applied, index, dim, specified, self.dim(), i);
  }
  return applied;
}

/// Whether a sequence that is no tuple stands for one: t[[slice(None), 0]]. NumPy's old rule, which PyTorch keeps.
bool treat_sequence_as_tuple(PyObject* index) {
  if (PyTuple_Check(index)) return true;
  if (THPVariable_Check(index) || PyUnicode_Check(index) || PyBytes_Check(index) || !PySequence_Check(index)) return false;
  const Py_ssize_t size = PySequence_Size(index);
  if (size < 0) {
    PyErr_Clear();
    return false;
  }
  if (size >= 32) return false;
  for (Py_ssize_t i = 0; i < size; ++i) {
    const THPObjectPtr item(PySequence_GetItem(index, i));
    if (!item) {
      PyErr_Clear();
      return false;
    }
    PyObject* object = item.get();
    const bool sequence = PySequence_Check(object) && !PyUnicode_Check(object) && !PyBytes_Check(object);
    if (THPVariable_Check(object) || sequence || PySlice_Check(object) || object == Py_Ellipsis || object == Py_None) return true;
  }
  return false;
}

THPObjectPtr wrap_tuple(PyObject* index) {
  THPObjectPtr tuple(treat_sequence_as_tuple(index) ? PySequence_Tuple(index) : PyTuple_Pack(1, index));
  if (!tuple) throw python_error();
  return tuple;
}

/// The views of an index without tensors in it that need no tuple; undefined for others.
Tensor simple_view(const Tensor& self, PyObject* index) {
  if (index == Py_Ellipsis) return _ops::alias::call(self);
  if (index == Py_None) return _ops::unsqueeze::call(self, 0);
  if (is_plain_integer(index)) return apply_select(self, 0, unpack_index(index), 0);
  if (PySlice_Check(index)) return apply_slice(self, 0, index);
  return Tensor();
}

bool is_overridden(PyObject* self, PyObject* index, PyObject* value) {
  if (!torch_function_enabled()) return false;
  if (check_has_torch_function(self) || (value && check_has_torch_function(value)) || check_has_torch_function(index)) return true;
  if (!PyTuple_Check(index) && !PyList_Check(index)) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(index); ++i) {
    if (check_has_torch_function(PySequence_Fast_GET_ITEM(index, i))) return true;
  }
  return false;
}

Tensor dispatch_index(const Applied& applied) {
  const gil_scoped_release no_gil;
  return _ops::index_Tensor::call(applied.self, applied.indices);
}

void dispatch_index_put_(Applied& applied, const Tensor& value) {
  const gil_scoped_release no_gil;
  _ops::index_put_::call(applied.self, applied.indices, value, /*accumulate=*/false);
}

}  // namespace

PyObject* THPVariable_getitem(PyObject* self_, PyObject* index) {
  HANDLE_TH_ERRORS
  if (is_overridden(self_, index, nullptr)) return handle_torch_function_indexing(self_, index, nullptr);
  const Tensor self = THPVariable_Unpack(self_);
  if (const Tensor view = simple_view(self, index); view.defined()) return wrap(view);
  const Applied applied = apply_slicing(self, wrap_tuple(index).get());
  if (applied.has_tensors()) return wrap(dispatch_index(applied));
  // A view always: t[()] is not t itself.
  return wrap(applied.self.is_same(self) ? _ops::alias::call(self) : applied.self);
  END_HANDLE_TH_ERRORS_OF("__getitem__", self_, nullptr, nullptr)
}

namespace {

/// The value of an assignment as a tensor: numbers become one of self's type.
Tensor value_to_tensor(PyObject* value, const Tensor& self) {
  if (THPVariable_Check(value)) return THPVariable_Unpack(value);
  if (PyComplex_Check(value))
    throw TypeError("complex numbers are not supported: this tensor holds " + std::string(pythonName(self.dtype())));
  if (!THPUtils_checkScalar(value)) {
    throw TypeError(std::string("can't assign a ") + Py_TYPE(value)->tp_name + " to a tensor of " + pythonName(self.dtype()));
  }
  const Tensor result = empty({}, self.dtype());
  const bool big = isFloatingType(self.dtype()) && PyLong_Check(value);
  native::fill_(result, big ? Scalar(THPUtils_unpackDouble(value)) : unpack_scalar(value));
  return result;
}

/// The value without the dimensions of size 1 in front that the target does not have, as NumPy allows.
Tensor strip_prefix_ones(const Tensor& value, std::int64_t target_dims) {
  std::int64_t first = 0;
  while (first < value.dim() - target_dims && value.size(first) == 1) ++first;
  if (first == 0) return value;
  return _ops::view::call(value, value.sizes().subspan(static_cast<std::size_t>(first)));
}

void copy_to(Tensor target, const Tensor& value) {
  const Tensor source = strip_prefix_ones(value, target.dim());
  const gil_scoped_release no_gil;
  _ops::copy_::call(target, _ops::expand::call(source, target.sizes(), /*implicit=*/false), /*non_blocking=*/false);
}

}  // namespace

int THPVariable_setitem(PyObject* self_, PyObject* index, PyObject* value) {
  HANDLE_TH_ERRORS
  if (!value) throw TypeError("Tensor does not support deleting items");
  if (is_overridden(self_, index, value)) {
    const THPObjectPtr result(handle_torch_function_indexing(self_, index, value));
    return 0;
  }
  const Tensor self = THPVariable_Unpack(self_);
  const Tensor source = value_to_tensor(value, self);
  if (index == Py_False) return 0;
  if (const Tensor view = index == Py_True ? _ops::unsqueeze::call(self, 0) : simple_view(self, index); view.defined()) {
    copy_to(view, source);
    return 0;
  }
  Applied applied = apply_slicing(self, wrap_tuple(index).get());
  if (applied.has_tensors()) {
    dispatch_index_put_(applied, strip_prefix_ones(source, self.dim()));
  } else {
    copy_to(applied.self, source);
  }
  return 0;
  END_HANDLE_TH_ERRORS_OF_RET("__setitem__", self_, nullptr, nullptr, -1)
}

Py_ssize_t THPVariable_length(PyObject* self_) {
  HANDLE_TH_ERRORS
  if (check_has_torch_function(self_)) {
    const THPObjectPtr result(handle_torch_function_method(self_, "__len__"));
    const Py_ssize_t length = PyLong_AsSsize_t(result.get());
    if (length < 0 && PyErr_Occurred()) throw python_error();
    return length;
  }
  const Tensor& self = THPVariable_Unpack(self_);
  if (self.dim() == 0) throw TypeError("len() of a 0-d tensor");
  return self.size(0);
  END_HANDLE_TH_ERRORS_RET(-1)
}

PyMappingMethods variable_as_mapping = {THPVariable_length, THPVariable_getitem, THPVariable_setitem};

}  // namespace tensorlib
