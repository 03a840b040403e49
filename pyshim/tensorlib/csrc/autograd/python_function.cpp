#include "autograd/python_function.h"

#include <algorithm>

#include "Exceptions.h"
#include "autograd/VariableTypeUtils.h"
#include "autograd/python_engine.h"
#include "autograd/variable.h"
#include "core/Exception.h"
#include "gil.h"
#include "ops/Functions.h"
#include "python_variable.h"

namespace tensorlib::autograd {

PyNode::PyNode(PyObject* ctx, std::string name, std::vector<bool> is_tensor)
    : ctx_(Py_NewRef(ctx)), name_(std::move(name)), is_tensor_(std::move(is_tensor)) {}

PyNode::~PyNode() {
  if (!Py_IsInitialized()) return;
  const gil_scoped_acquire gil;
  Py_DECREF(ctx_);
}

void PyNode::release_variables() {
  const std::lock_guard lock(mutex_);
  released_ = !saved.empty();
  saved.clear();
}

namespace {

THPObjectPtr checked(PyObject* object) {
  if (!object) throw python_error();
  return THPObjectPtr(object);
}

}  // namespace

// What backward returned: one for each argument of forward, None for those that are no tensors.
variable_list PyNode::gradients_from(PyObject* result) const {
  const THPObjectPtr tuple(PyTuple_Check(result) ? Py_NewRef(result) : PyTuple_Pack(1, result));
  if (!tuple) throw python_error();
  const auto given = static_cast<std::size_t>(PyTuple_GET_SIZE(tuple.get()));
  if (given != is_tensor_.size()) {
    raise("function " + name_ + " returned an incorrect number of gradients (expected " + std::to_string(is_tensor_.size()) + ", got " +
          std::to_string(given) + ")");
  }
  variable_list grads;
  for (std::size_t i = 0; i < given; ++i) {
    PyObject* item = PyTuple_GET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i));
    if (item != Py_None && !THPVariable_Check(item)) {
      throw TypeError("function " + name_ + " returned a gradient that is no Tensor at position " + std::to_string(i));
    }
    if (!is_tensor_[i] && item != Py_None) {
      raise("function " + name_ + " returned a gradient different from None at position " + std::to_string(i + 1) +
            ", but the corresponding forward input was not a Variable");
    }
    if (is_tensor_[i]) grads.push_back(item == Py_None ? Tensor() : THPVariable_Unpack(item));
  }
  return grads;
}

variable_list PyNode::apply(variable_list&& grads) {
  if (released_) raise(ERR_BACKWARD_TWICE);
  if (materialize_grads) {
    for (std::size_t i = 0; i < grads.size(); ++i) {
      if (!grads[i].defined()) grads[i] = at::zeros(input_metadata(i).sizes(), input_metadata(i).dtype());
    }
  }
  variable_list tensors;
  for (const SavedVariable& variable : saved) tensors.push_back(variable.unpack(shared_from_this()));
  const gil_scoped_acquire gil;
  const THPObjectPtr arguments = checked(THPVariable_WrapList(grads)), kept = checked(THPVariable_WrapList(tensors));
  const THPObjectPtr result = checked(PyObject_CallMethod(ctx_, "_run_backward", "OO", arguments.get(), kept.get()));
  return gradients_from(result.get());
}

namespace {

bool contains(PyObject* tuple, PyObject* object) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    if (PyTuple_GET_ITEM(tuple, i) == object) return true;
  }
  return false;
}

struct Call {
  PyObject *ctx, *inputs, *outputs, *saved, *dirty, *non_differentiable;
  const char* name;
  int materialize_grads;
};

std::shared_ptr<PyNode> make_node(const Call& call) {
  std::vector<bool> is_tensor;
  edge_list edges;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(call.inputs); ++i) {
    PyObject* input = PyTuple_GET_ITEM(call.inputs, i);
    is_tensor.push_back(THPVariable_Check(input));
    if (is_tensor.back()) edges.push_back(make_edge(THPVariable_Unpack(input)));
  }
  auto node = std::make_shared<PyNode>(call.ctx, call.name, std::move(is_tensor));
  node->set_next_edges(std::move(edges));
  node->materialize_grads = call.materialize_grads != 0;
  return node;
}

/// An output of forward as the caller gets it.
Tensor with_history(const Call& call, PyObject* output, const std::shared_ptr<PyNode>& node) {
  Tensor tensor = THPVariable_Unpack(output);
  const bool is_dirty = contains(call.dirty, output);
  const bool is_input = contains(call.inputs, output);
  // An argument handed back is another tensor: it has another history.
  if (is_input && !is_dirty) tensor = impl::tensor_data(tensor);
  if (contains(call.non_differentiable, output)) {
    node->add_input_metadata(tensor);
    return tensor;
  }
  if (is_dirty) {
    check_inplace(tensor, true);
    rebase_history(tensor, node);
    return tensor;
  }
  if (DifferentiableViewMeta* view = impl::get_view_autograd_meta(tensor)) view->creation_meta_ = CreationMeta::IN_CUSTOM_FUNCTION;
  set_history(tensor, node);
  return tensor;
}

void save(const Call& call, PyNode& node) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(call.saved); ++i) {
    PyObject* item = PyTuple_GET_ITEM(call.saved, i);
    if (item != Py_None && !THPVariable_Check(item)) throw TypeError("save_for_backward can only save variables, but got another type");
    const bool is_output = contains(call.outputs, item) && !contains(call.inputs, item);
    node.saved.emplace_back(item == Py_None ? Tensor() : THPVariable_Unpack(item), is_output || contains(call.dirty, item));
  }
}

PyObject* function_outputs(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  Call call;
  if (!PyArg_ParseTuple(args, "OsO!O!O!O!O!p:_function_outputs", &call.ctx, &call.name, &PyTuple_Type, &call.inputs, &PyTuple_Type,
                        &call.outputs, &PyTuple_Type, &call.saved, &PyTuple_Type, &call.dirty, &PyTuple_Type, &call.non_differentiable,
                        &call.materialize_grads)) {
    return nullptr;
  }
  const std::shared_ptr<PyNode> node = make_node(call);
  const THPObjectPtr results = checked(PyTuple_New(PyTuple_GET_SIZE(call.outputs)));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(call.outputs); ++i) {
    PyObject* output = PyTuple_GET_ITEM(call.outputs, i);
    if (!THPVariable_Check(output)) {
      PyTuple_SET_ITEM(results.get(), i, Py_NewRef(output));
      continue;
    }
    PyTuple_SET_ITEM(results.get(), i, checked(THPVariable_Wrap(with_history(call, output, node))).release());
  }
  save(call, *node);
  return Py_NewRef(results.get());
  END_HANDLE_TH_ERRORS
}

PyMethodDef functions[] = {
    {"_function_outputs", function_outputs, METH_VARARGS,
     "_function_outputs(ctx, name, inputs, outputs, saved, dirty, non_differentiable, materialize_grads): outputs with their history."},
    {},
};

}  // namespace

bool THPFunction_initModule(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace tensorlib::autograd
