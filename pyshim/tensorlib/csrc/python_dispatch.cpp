#include "python_dispatch.h"

#include "Exceptions.h"
#include "gil.h"
#include "ops/ExplainDispatch.h"
#include "ops/Registration.h"
#include "ops/TraceFallback.h"

namespace tensorlib {

namespace {

PyObject* text(const std::string& value) { return PyUnicode_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size())); }

PyObject* dispatch_dump(PyObject*, PyObject* name) {
  HANDLE_TH_ERRORS
  const char* op = PyUnicode_AsUTF8(name);
  if (!op) throw python_error();
  return text(dispatcher().findSchemaOrThrow(op).dumpState());
  END_HANDLE_TH_ERRORS
}

PyObject* dispatch_get_all_op_names(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  THPObjectPtr names(PyList_New(0));
  if (!names) return nullptr;
  for (const OperatorEntry& op : dispatcher().operators()) {
    const THPObjectPtr name(text(op.name()));
    if (!name || PyList_Append(names.get(), name.get()) < 0) return nullptr;
  }
  return names.release();
  END_HANDLE_TH_ERRORS
}

PyObject* dispatch_tls_local_include_set(PyObject*, PyObject*) { return text(toString(tls_local_dispatch_key_set().included_)); }
PyObject* dispatch_tls_local_exclude_set(PyObject*, PyObject*) { return text(toString(tls_local_dispatch_key_set().excluded_)); }

PyObject* set_trace(PyObject*, PyObject* on) {
  const int truth = PyObject_IsTrue(on);
  if (truth < 0) return nullptr;
  set_dispatch_trace(truth == 1);
  Py_RETURN_NONE;
}

// ---- an explanation as dictionaries and lists

/// A dictionary that takes its values as they come; the first failure stays.
class Dict {
 public:
  Dict() : dict_(PyDict_New()) {}
  Dict& set(const char* key, PyObject* value) {
    const THPObjectPtr owned(value);
    if (!owned || !dict_ || PyDict_SetItemString(dict_.get(), key, owned.get()) < 0) dict_ = THPObjectPtr();
    return *this;
  }
  Dict& set(const char* key, const std::string& value) { return set(key, text(value)); }
  PyObject* release() { return dict_.release(); }

 private:
  THPObjectPtr dict_;
};

template <typename Values, typename Convert>
PyObject* list(const Values& values, Convert&& convert) {
  THPObjectPtr made(PyList_New(0));
  if (!made) return nullptr;
  for (const auto& value : values) {
    const THPObjectPtr item(convert(value));
    if (!item || PyList_Append(made.get(), item.get()) < 0) return nullptr;
  }
  return made.release();
}

PyObject* wrap(const ArgumentExplanation& argument) {
  return Dict().set("name", argument.name).set("value", argument.value).set("keys", toString(argument.keys)).release();
}
PyObject* wrap(const PassedOverKey& passed) { return Dict().set("key", toString(passed.key)).set("why", passed.why).release(); }
PyObject* wrap(const DispatchStep& step) {
  return Dict()
      .set("keys", toString(step.keys))
      .set("key", toString(step.key))
      .set("passed_over", list(step.passed_over, [](const PassedOverKey& passed) { return wrap(passed); }))
      .set("kernel", step.kernel)
      .set("rule", toString(step.rule))
      .set("registered_at", step.registered_at)
      .release();
}
PyObject* wrap(const StubExplanation& stub) {
  return Dict()
      .set("stub", stub.stub)
      .set("op", stub.op)
      .set("capability", stub.capability)
      .set("branch", stub.branch)
      .set("loop", stub.loop)
      .set("error", stub.error)
      .release();
}
PyObject* wrap(const DispatchExplanation& explanation) {
  return Dict()
      .set("op", explanation.op)
      .set("schema", explanation.schema)
      .set("arguments", list(explanation.arguments, [](const ArgumentExplanation& argument) { return wrap(argument); }))
      .set("included", toString(explanation.local.included_))
      .set("excluded", toString(explanation.local.excluded_))
      .set("merged", toString(explanation.merged))
      .set("steps", list(explanation.steps, [](const DispatchStep& step) { return wrap(step); }))
      .set("kernel", wrap(explanation.stub))
      .set("text", toString(explanation))
      .release();
}

/// The function is called in full, so its own parser picks the overload; the operator that it calls first is explained in its place.
PyObject* explain(PyObject*, PyObject* call) {
  HANDLE_TH_ERRORS
  PyObject *function = nullptr, *args = nullptr, *kwargs = nullptr;
  if (!PyArg_ParseTuple(call, "OO!O!", &function, &PyTuple_Type, &args, &PyDict_Type, &kwargs)) return nullptr;
  THPObjectPtr result;
  const auto explanation = explain_first_call([&] { result = THPObjectPtr(PyObject_Call(function, args, kwargs)); });
  if (explanation) {
    PyErr_Clear();
    return wrap(*explanation);
  }
  if (!result) return nullptr;
  PyErr_Format(PyExc_ValueError, "%R calls no operator with these arguments: there is nothing to explain", function);
  return nullptr;
  END_HANDLE_TH_ERRORS
}

}  // namespace

PyMethodDef dispatch_functions[] = {
    {"_dispatch_dump", dispatch_dump, METH_O, "What is registered for an operator, \"tensorlib::pow.Tensor_Scalar\"."},
    {"_dispatch_get_all_op_names", dispatch_get_all_op_names, METH_NOARGS, "The names of all operators."},
    {"_dispatch_tls_local_include_set", dispatch_tls_local_include_set, METH_NOARGS, "The keys that this thread adds to every call."},
    {"_dispatch_tls_local_exclude_set", dispatch_tls_local_exclude_set, METH_NOARGS, "The keys that this thread takes from every call."},
    {"_explain_dispatch", explain, METH_VARARGS, "(function, args, kwargs): what the call would do, as a dictionary."},
    {"_set_dispatch_trace", set_trace, METH_O, "Whether this thread prints every operator that it calls to standard error."},
    {},
};

}  // namespace tensorlib
