// Nodes whose derivative is Python: what autograd.Function makes.
#pragma once

#include <Python.h>

#include <vector>

#include "autograd/function.h"
#include "autograd/saved_variable.h"

namespace tensorlib::autograd {

struct PyNode final : Node {
  /// `ctx` answers backward(*grads); `is_tensor` says which of the operation's arguments are tensors.
  PyNode(PyObject* ctx, std::string name, std::vector<bool> is_tensor);
  ~PyNode() override;

  std::string name() const override { return name_; }
  void release_variables() override;
  PyObject* ctx() const { return ctx_; }

  std::vector<SavedVariable> saved;
  bool materialize_grads = true;

 protected:
  variable_list apply(variable_list&& grads) override;

 private:
  variable_list gradients_from(PyObject* result) const;

  PyObject* ctx_;
  std::string name_;
  std::vector<bool> is_tensor_;
  bool released_ = false;
};

bool THPFunction_initModule(PyObject* module);

}  // namespace tensorlib::autograd
