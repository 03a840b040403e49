// Hooks that are Python's callables. Each kind keeps one dictionary per tensor or node, handle to callable, which
// tensorlib.utils.hooks.RemovableHandle takes entries out of; callables run in the order in which they were added.
#pragma once

#include <Python.h>

#include "autograd/function.h"
#include "gil.h"

namespace tensorlib::autograd {

/// A reference that any thread may drop.
class PyHookDict {
 public:
  explicit PyHookDict(PyObject* dict) : dict_(Py_NewRef(dict)) {}
  ~PyHookDict();
  PyHookDict(const PyHookDict&) = delete;
  PyHookDict& operator=(const PyHookDict&) = delete;
  PyObject* get() const { return dict_; }
  /// Its callables, as they are now: a hook may remove itself.
  THPObjectPtr values() const;

 private:
  PyObject* dict_;
};

/// register_hook of a tensor: sees the gradient of one of a node's inputs.
struct PyFunctionTensorPreHook final : FunctionPreHook {
  PyFunctionTensorPreHook(PyObject* dict, std::uint32_t value_idx) : dict(dict), value_idx(value_idx) {}
  variable_list operator()(const variable_list& grads) override;
  /// The dictionary of a tensor's hooks, made if there is none. A new reference, or null with a Python error.
  static PyObject* dict_of(const Tensor& tensor);

  PyHookDict dict;
  std::uint32_t value_idx;
};

/// register_prehook of a node: sees all gradients that enter it.
struct PyFunctionPreHook final : FunctionPreHook {
  explicit PyFunctionPreHook(PyObject* dict) : dict(dict) {}
  variable_list operator()(const variable_list& grads) override;
  static PyObject* dict_of(Node& node);

  PyHookDict dict;
};

/// register_hook of a node: sees what it returned and what entered it.
struct PyFunctionPostHook final : FunctionPostHook {
  explicit PyFunctionPostHook(PyObject* dict) : dict(dict) {}
  variable_list operator()(const variable_list& outputs, const variable_list& inputs) override;
  static PyObject* dict_of(Node& node);

  PyHookDict dict;
};

/// register_post_accumulate_grad_hook of a leaf.
struct PyPostAccumulateGradHook final : PostAccumulateGradHook {
  explicit PyPostAccumulateGradHook(PyObject* dict) : dict(dict) {}
  void operator()(const Variable& tensor) override;
  static PyObject* dict_of(const Tensor& tensor);

  PyHookDict dict;
};

PyObject* variable_of_accumulate_grad(Node& node);

}  // namespace tensorlib::autograd
