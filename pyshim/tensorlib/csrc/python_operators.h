// What the generated files of operators share (tensorlib/codegen/gen_python.py), and their tables.
#pragma once

#include <Python.h>

#include <initializer_list>
#include <optional>
#include <vector>

#include "core/Tensor.h"

namespace tensorlib {

/// The operators as methods of tensors and as functions of the module; each list ends with an empty row.
std::vector<PyMethodDef> variable_operators();
std::vector<PyMethodDef> torch_operators();

/// Lists of methods as one that ends with an empty row.
std::vector<PyMethodDef> joined(std::initializer_list<const PyMethodDef*> lists);

template <PyCFunctionWithKeywords function>
PyCFunction castPyCFunctionWithKeywords() {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

constexpr int with_keywords = METH_VARARGS | METH_KEYWORDS;

/// A new tensor, marked as wanting gradients if so asked. Raises Error for types that have none.
PyObject* wrap_new(const Tensor& tensor, bool requires_grad);
/// Raises Error if a dtype is given that is not the type of `out`.
void check_out_type_matches(const Tensor& out, std::optional<ScalarType> dtype);

}  // namespace tensorlib
