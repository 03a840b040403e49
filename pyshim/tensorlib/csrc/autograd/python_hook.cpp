#include "autograd/python_hook.h"

#include "Exceptions.h"
#include "autograd/functions/accumulate_grad.h"
#include "autograd/variable.h"
#include "core/Exception.h"
#include "python_variable.h"

namespace tensorlib::autograd {

PyHookDict::~PyHookDict() {
  if (!Py_IsInitialized()) return;  // at the end of the process there is nobody to give it back to
  const gil_scoped_acquire gil;
  Py_DECREF(dict_);
}

THPObjectPtr PyHookDict::values() const {
  THPObjectPtr values(PyDict_Values(dict_));
  if (!values) throw python_error();
  return values;
}

namespace {

THPObjectPtr as_argument(const Tensor& tensor) {
  THPObjectPtr object(tensor.defined() ? THPVariable_Wrap(tensor) : Py_NewRef(Py_None));
  if (!object) throw python_error();
  return object;
}

THPObjectPtr as_argument(const variable_list& tensors) {
  THPObjectPtr tuple(PyTuple_New(static_cast<Py_ssize_t>(tensors.size())));
  if (!tuple) throw python_error();
  for (std::size_t i = 0; i < tensors.size(); ++i)
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), as_argument(tensors[i]).release());
  return tuple;
}

std::string type_name(PyObject* object) { return Py_TYPE(object)->tp_name; }

Tensor unwrap_result(PyObject* result) {
  if (result == Py_None) return Tensor();
  if (!THPVariable_Check(result)) throw TypeError("expected Variable, but hook returned '" + type_name(result) + "'");
  return THPVariable_Unpack(result);
}

void check_single_result(const Tensor& original, const Tensor& result) {
  if (!original.defined() || !result.defined()) return;
  if (original.dtype() != result.dtype()) raise("hook has changed the type of value");
  if (!std::ranges::equal(original.sizes(), result.sizes())) raise("hook has changed the size of value");
}

/// What a hook on a tuple returned in its place: the same number of tensors, of the same shapes.
variable_list unwrap_results(PyObject* result, const variable_list& originals) {
  THPObjectPtr items(PyTuple_Check(result) ? Py_NewRef(result) : PyTuple_Pack(1, result));
  if (!items) throw python_error();
  const auto size = static_cast<std::size_t>(PyTuple_GET_SIZE(items.get()));
  if (size != originals.size()) {
    raise("hook has returned an incorrect number of values (got " + std::to_string(size) + ", but expected " +
          std::to_string(originals.size()) + ")");
  }
  variable_list results;
  for (std::size_t i = 0; i < size; ++i) {
    results.push_back(unwrap_result(PyTuple_GET_ITEM(items.get(), static_cast<Py_ssize_t>(i))));
    check_single_result(originals[i], results.back());
  }
  return results;
}

template <typename Call>
void for_each_hook(const PyHookDict& dict, Call call) {
  const THPObjectPtr hooks = dict.values();
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(hooks.get()); ++i) {
    const THPObjectPtr result(call(PyList_GET_ITEM(hooks.get(), i)));
    if (!result) throw python_error();
  }
}

/// The dictionary of the only hook of its kind in a list, or of one that is put there.
template <typename Hook, typename List, typename... Args>
PyObject* find_or_add(List& list, Args... args) {
  for (const auto& known : list) {
    auto* hook = dynamic_cast<Hook*>(known.get());
    if (!hook) continue;
    if constexpr (sizeof...(Args) == 1) {
      if (((hook->value_idx != args) || ...)) continue;
    }
    return Py_NewRef(hook->dict.get());
  }
  PyObject* dict = PyDict_New();
  if (dict) list.push_back(std::make_unique<Hook>(dict, args...));
  return dict;
}

}  // namespace

variable_list PyFunctionTensorPreHook::operator()(const variable_list& grads) {
  const gil_scoped_acquire gil;
  variable_list results = grads;
  for_each_hook(dict, [&](PyObject* hook) {
    Tensor& value = results[value_idx];
    const THPObjectPtr argument = as_argument(value);
    THPObjectPtr result(PyObject_CallOneArg(hook, argument.get()));
    if (result && result.get() != Py_None) {
      const Tensor changed = unwrap_result(result.get());
      check_single_result(value, changed);
      value = changed;
    }
    return result.release();
  });
  return results;
}

PyObject* PyFunctionTensorPreHook::dict_of(const Tensor& tensor) {
  HANDLE_TH_ERRORS
  if (!tensor.requires_grad()) raise("cannot register a hook on a tensor that doesn't require gradient");
  const auto& node = impl::grad_fn(tensor);
  auto& hooks = node ? node->tensor_pre_hooks() : impl::materialize_autograd_meta(tensor)->hooks_;
  return find_or_add<PyFunctionTensorPreHook>(hooks, impl::output_nr(tensor));
  END_HANDLE_TH_ERRORS
}

variable_list PyFunctionPreHook::operator()(const variable_list& grads) {
  const gil_scoped_acquire gil;
  variable_list results = grads;
  for_each_hook(dict, [&](PyObject* hook) {
    const THPObjectPtr argument = as_argument(results);
    THPObjectPtr result(PyObject_CallOneArg(hook, argument.get()));
    if (result && result.get() != Py_None) results = unwrap_results(result.get(), results);
    return result.release();
  });
  return results;
}

PyObject* PyFunctionPreHook::dict_of(Node& node) { return find_or_add<PyFunctionPreHook>(node.pre_hooks()); }

variable_list PyFunctionPostHook::operator()(const variable_list& outputs, const variable_list& inputs) {
  const gil_scoped_acquire gil;
  variable_list results = outputs;
  for_each_hook(dict, [&](PyObject* hook) {
    const THPObjectPtr out = as_argument(results), in = as_argument(inputs);
    THPObjectPtr result(PyObject_CallFunctionObjArgs(hook, out.get(), in.get(), nullptr));
    if (result && result.get() != Py_None) results = unwrap_results(result.get(), results);
    return result.release();
  });
  return results;
}

PyObject* PyFunctionPostHook::dict_of(Node& node) { return find_or_add<PyFunctionPostHook>(node.post_hooks()); }

void PyPostAccumulateGradHook::operator()(const Variable& tensor) {
  const gil_scoped_acquire gil;
  for_each_hook(dict, [&](PyObject* hook) {
    const THPObjectPtr argument = as_argument(tensor);
    THPObjectPtr result(PyObject_CallOneArg(hook, argument.get()));
    if (result && result.get() != Py_None) raise("Tensor post accumulate grad hooks should return None.");
    return result.release();
  });
}

PyObject* PyPostAccumulateGradHook::dict_of(const Tensor& tensor) {
  HANDLE_TH_ERRORS
  if (!tensor.requires_grad()) raise("cannot register a hook on a tensor that doesn't require gradient");
  if (impl::grad_fn(tensor)) raise("post accumulate grad hooks cannot be registered on non-leaf tensors");
  auto& slot = impl::materialize_autograd_meta(tensor)->post_acc_grad_hook_;
  if (auto* known = dynamic_cast<PyPostAccumulateGradHook*>(slot.get())) return Py_NewRef(known->dict.get());
  PyObject* dict = PyDict_New();
  if (dict) slot = std::make_unique<PyPostAccumulateGradHook>(dict);
  return dict;
  END_HANDLE_TH_ERRORS
}

PyObject* variable_of_accumulate_grad(Node& node) { return THPVariable_Wrap(static_cast<AccumulateGrad&>(node).variable); }

}  // namespace tensorlib::autograd
