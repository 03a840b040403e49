#include "python_torch_function.h"

#include <string>

#include "Exceptions.h"
#include "core/Exception.h"
#include "gil.h"
#include "python_variable.h"

namespace tensorlib {

namespace {

constexpr const char* tensor_name = "tensorlib.Tensor";

[[noreturn]] void no_implementation(const OverloadedArgs& overloaded, const std::string& name) {
  std::string types;
  for (PyObject* object : overloaded) types += (types.empty() ? "" : ", ") + std::string(Py_TYPE(object)->tp_name);
  throw TypeError("no implementation found for '" + name + "' on types that implement __torch_function__: [" + types + "]");
}

THPObjectPtr attribute(PyObject* object, const char* name) {
  THPObjectPtr found(PyObject_GetAttrString(object, name));
  if (!found) throw python_error();
  return found;
}

/// (self, *args).
THPObjectPtr combine_self_args(PyObject* self, PyObject* args) {
  const Py_ssize_t count = args ? PyTuple_GET_SIZE(args) : 0;
  THPObjectPtr all(PyTuple_New(count + 1));
  if (!all) throw python_error();
  PyTuple_SET_ITEM(all.get(), 0, Py_NewRef(self));
  for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SET_ITEM(all.get(), i + 1, Py_NewRef(PyTuple_GET_ITEM(args, i)));
  return all;
}

OverloadedArgs just(PyObject* object) {
  OverloadedArgs overloaded;
  if (check_has_torch_function(object)) overloaded.push_back(object);
  return overloaded;
}

/// The object itself, and what lies in the sequences that indices may be.
void collect_overloaded(OverloadedArgs* overloaded, PyObject* object) {
  if (check_has_torch_function(object)) append_overloaded_arg(overloaded, object);
  if (!PyTuple_Check(object) && !PyList_Check(object)) return;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) collect_overloaded(overloaded, PySequence_Fast_GET_ITEM(object, i));
}

}  // namespace

void append_overloaded_arg(OverloadedArgs* overloaded, PyObject* object) {
  std::size_t place = overloaded->size();
  for (std::size_t i = 0; i < overloaded->size(); ++i) {
    PyTypeObject* other = Py_TYPE((*overloaded)[i]);
    if (Py_TYPE(object) == other) return;
    if (place == overloaded->size() && PyType_IsSubtype(Py_TYPE(object), other)) place = i;
  }
  overloaded->push_back(object);
  for (std::size_t i = overloaded->size() - 1; i > place; --i) (*overloaded)[i] = (*overloaded)[i - 1];
  (*overloaded)[place] = object;
}

PyObject* handle_torch_function_no_python_torch_dispatch(const OverloadedArgs& overloaded, PyObject* args, PyObject* kwargs,
                                                         const char* function_name, PyObject* api_function, const char* module_name) {
  const THPObjectPtr types(PyTuple_New(static_cast<Py_ssize_t>(overloaded.size())));
  if (!types) throw python_error();
  for (std::size_t i = 0; i < overloaded.size(); ++i) {
    PyTuple_SET_ITEM(types.get(), static_cast<Py_ssize_t>(i), Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(overloaded[i]))));
  }
  // What the call borrows must outlive it, whatever the override does.
  const THPObjectPtr keywords(kwargs ? Py_NewRef(kwargs) : PyDict_New());
  if (!keywords) throw python_error();
  for (PyObject* object : overloaded) {
    const THPObjectPtr torch_function = attribute(object, "__torch_function__");
    THPObjectPtr result(PyObject_CallFunctionObjArgs(torch_function.get(), api_function, types.get(), args, keywords.get(), nullptr));
    if (!result) throw python_error();
    if (result.get() != Py_NotImplemented) return result.release();
  }
  no_implementation(overloaded, std::string(module_name) + "." + function_name);
}

PyObject* handle_torch_function(const PythonArgs& r, PyObject* self, PyObject* args, PyObject* kwargs, PyObject* torch_api,
                                const char* module_name) {
  const char* name = r.signature.name.c_str();
  const THPObjectPtr api_function = attribute(torch_api, name);
  const THPObjectPtr all = self ? combine_self_args(self, args) : THPObjectPtr(args ? Py_NewRef(args) : PyTuple_New(0));
  if (!all) throw python_error();
  return handle_torch_function_no_python_torch_dispatch(r.overloaded_args, all.get(), kwargs, name, api_function.get(), module_name);
}

PyObject* handle_torch_function_method(PyObject* self, const char* name) {
  return handle_torch_function_method(self, name, nullptr, nullptr);
}

PyObject* handle_torch_function_method(PyObject* self, const char* name, PyObject* args, PyObject* kwargs) {
  const THPObjectPtr function = attribute(THPVariableClass, name);
  const THPObjectPtr all = combine_self_args(self, args);
  return handle_torch_function_no_python_torch_dispatch(just(self), all.get(), kwargs, name, function.get(), tensor_name);
}

PyObject* handle_torch_function_getter(PyObject* self, const char* property) {
  const THPObjectPtr descriptor = attribute(THPVariableClass, property);
  const THPObjectPtr getter = attribute(descriptor.get(), "__get__");
  const THPObjectPtr all = combine_self_args(self, nullptr);
  const std::string module = std::string(tensor_name) + "." + property;
  return handle_torch_function_no_python_torch_dispatch(just(self), all.get(), nullptr, "__get__", getter.get(), module.c_str());
}

int handle_torch_function_setter(PyObject* self, const char* property, PyObject* value) {
  const THPObjectPtr descriptor = attribute(THPVariableClass, property);
  const char* name = value ? "__set__" : "__delete__";
  const THPObjectPtr setter = attribute(descriptor.get(), name);
  const THPObjectPtr extra(value ? PyTuple_Pack(1, value) : PyTuple_New(0));
  if (!extra) throw python_error();
  const THPObjectPtr all = combine_self_args(self, extra.get());
  const std::string module = std::string(tensor_name) + "." + property;
  const THPObjectPtr result(
      handle_torch_function_no_python_torch_dispatch(just(self), all.get(), nullptr, name, setter.get(), module.c_str()));
  return 0;
}

namespace {

PyObject* ask_or_get(PyObject* self, void* plain_) {
  HANDLE_TH_ERRORS
  const auto& plain = *static_cast<const PyGetSetDef*>(plain_);
  return check_has_torch_function(self) ? handle_torch_function_getter(self, plain.name) : plain.get(self, plain.closure);
  END_HANDLE_TH_ERRORS
}

int ask_or_set(PyObject* self, PyObject* value, void* plain_) {
  HANDLE_TH_ERRORS
  const auto& plain = *static_cast<const PyGetSetDef*>(plain_);
  return check_has_torch_function(self) ? handle_torch_function_setter(self, plain.name, value) : plain.set(self, value, plain.closure);
  END_HANDLE_TH_ERRORS_RET(-1)
}

}  // namespace

PyGetSetDef* asking(const PyGetSetDef& plain) {
  return new PyGetSetDef{plain.name, ask_or_get, plain.set ? ask_or_set : nullptr, plain.doc, new PyGetSetDef(plain)};
}

PyObject* handle_torch_function_indexing(PyObject* self, PyObject* index, PyObject* value) {
  OverloadedArgs overloaded;
  collect_overloaded(&overloaded, self);
  collect_overloaded(&overloaded, index);
  if (value) collect_overloaded(&overloaded, value);
  const char* name = value ? "__setitem__" : "__getitem__";
  const THPObjectPtr function = attribute(THPVariableClass, name);
  const THPObjectPtr all(value ? PyTuple_Pack(3, self, index, value) : PyTuple_Pack(2, self, index));
  if (!all) throw python_error();
  return handle_torch_function_no_python_torch_dispatch(overloaded, all.get(), nullptr, name, function.get(), tensor_name);
}

}  // namespace tensorlib
