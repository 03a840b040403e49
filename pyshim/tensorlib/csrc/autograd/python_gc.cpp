#include "autograd/python_gc.h"

#include "autograd/python_function.h"
#include "autograd/python_hook.h"
#include "autograd/variable.h"

namespace tensorlib::autograd {

namespace {

/// The dictionary of a hook that is Python's; null for others.
template <typename Known, typename Hook>
PyObject* dict_of(Hook* hook) {
  auto* known = dynamic_cast<Known*>(hook);
  return known ? known->dict.get() : nullptr;
}

int traverse(const std::vector<std::unique_ptr<FunctionPreHook>>& hooks, visitproc visit, void* arg) {
  for (const auto& hook : hooks) {
    Py_VISIT(dict_of<PyFunctionTensorPreHook>(hook.get()));
    Py_VISIT(dict_of<PyFunctionPreHook>(hook.get()));
  }
  return 0;
}

int traverse(Node& node, visitproc visit, void* arg) {
  if (auto* python = dynamic_cast<PyNode*>(&node)) Py_VISIT(python->ctx());
  for (const auto& hook : node.post_hooks()) Py_VISIT(dict_of<PyFunctionPostHook>(hook.get()));
  if (const int result = traverse(node.pre_hooks(), visit, arg)) return result;
  return traverse(node.tensor_pre_hooks(), visit, arg);
}

}  // namespace

int traverse(const Tensor& tensor, visitproc visit, void* arg) {
  AutogradMeta* meta = impl::get_autograd_meta(tensor);
  if (!meta) return 0;
  if (const int result = traverse(meta->hooks_, visit, arg)) return result;
  Py_VISIT(dict_of<PyPostAccumulateGradHook>(meta->post_acc_grad_hook_.get()));
  // Read as it is: asking for a view's node would make a new one.
  return meta->grad_fn_ && meta->grad_fn_.use_count() == 1 ? traverse(*meta->grad_fn_, visit, arg) : 0;
}

}  // namespace tensorlib::autograd
