#include "autograd/python_cpp_function.h"

#include <map>
#include <new>
#include <string>

#include "Exceptions.h"
#include "autograd/python_hook.h"
#include "gil.h"

namespace tensorlib::autograd {

namespace {

struct THPCppFunction {
  PyObject_HEAD std::shared_ptr<Node> cdata;
};

PyTypeObject* node_type = nullptr;  // base of every node's type

Node& node_of(PyObject* self) { return *reinterpret_cast<THPCppFunction*>(self)->cdata; }

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  auto* function = reinterpret_cast<THPCppFunction*>(self);
  function->cdata->set_pyobj(nullptr);
  // The last node of a long graph takes it along: other threads may run meanwhile, and hooks take the GIL themselves.
  std::shared_ptr<Node> last = std::move(function->cdata);
  function->cdata.~shared_ptr();
  {
    const gil_scoped_release no_gil;
    last.reset();
  }
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* next_functions(PyObject* self, void*) {
  const Node& node = node_of(self);
  THPObjectPtr tuple(PyTuple_New(node.num_outputs()));
  for (std::uint32_t i = 0; tuple && i < node.num_outputs(); ++i) {
    const Edge& edge = node.next_edge(i);
    THPObjectPtr function(functionToPyObject(edge.function));
    if (!function) return nullptr;
    PyObject* pair = Py_BuildValue("(OI)", function.get(), edge.input_nr);
    if (!pair) return nullptr;
    PyTuple_SET_ITEM(tuple.get(), i, pair);
  }
  return tuple.release();
}

PyObject* repr(PyObject* self) { return PyUnicode_FromFormat("<%s object at %p>", node_of(self).name().c_str(), self); }
PyObject* name(PyObject* self, PyObject*) { return PyUnicode_FromString(node_of(self).name().c_str()); }
PyObject* sequence_nr(PyObject* self, PyObject*) { return PyLong_FromUnsignedLongLong(node_of(self).sequence_nr()); }

PyObject* variable(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return variable_of_accumulate_grad(node_of(self));
  END_HANDLE_TH_ERRORS
}

/// tensorlib.utils.hooks.add_hook(hooks, hook). Takes over the reference to `hooks`.
PyObject* add_hook(PyObject* hooks, PyObject* hook) {
  const THPObjectPtr dict(hooks);
  const THPObjectPtr module(dict ? PyImport_ImportModule("tensorlib.utils.hooks") : nullptr);
  return module ? PyObject_CallMethod(module.get(), "add_hook", "OO", dict.get(), hook) : nullptr;
}

PyObject* register_hook(PyObject* self, PyObject* hook) { return add_hook(PyFunctionPostHook::dict_of(node_of(self)), hook); }
PyObject* register_prehook(PyObject* self, PyObject* hook) { return add_hook(PyFunctionPreHook::dict_of(node_of(self)), hook); }

PyMethodDef methods[] = {
    {"name", name, METH_NOARGS, "The name of the operation's derivative: PowBackward0."},
    {"_sequence_nr", sequence_nr, METH_NOARGS, "The order in which this thread's forward made it."},
    {"register_hook", register_hook, METH_O, "register_hook(hook): hook(grad_inputs, grad_outputs) runs after it. Returns a handle."},
    {"register_prehook", register_prehook, METH_O, "register_prehook(hook): hook(grad_outputs) runs before it. Returns a handle."},
    {},
};

PyGetSetDef properties[] = {
    {"next_functions", next_functions, nullptr, "What backward runs next: pairs of a node and the number of its input.", nullptr},
    {},
};

PyGetSetDef accumulate_grad_properties[] = {
    {"variable", variable, nullptr, "The leaf whose .grad it adds to.", nullptr},
    {},
};

/// The type of nodes of this name. Types live as long as the process, their names too.
PyTypeObject* type_named(const std::string& name) {
  static std::map<std::string, PyTypeObject*> types;
  auto [entry, fresh] = types.try_emplace(name, nullptr);
  if (entry->second) return entry->second;
  PyType_Slot slots[] = {{Py_tp_getset, accumulate_grad_properties}, {0, nullptr}};
  if (name != "AccumulateGrad") slots[0] = {0, nullptr};
  // The name after the last dot is the type's; what is before it is its module: this one is left out where Python shows the type.
  static std::map<std::string, std::string> full_names;
  const std::string& full_name = full_names[name] = "tensorlib.autograd." + name;
  PyType_Spec spec = {full_name.c_str(), sizeof(THPCppFunction), 0, Py_TPFLAGS_DEFAULT, slots};
  THPObjectPtr bases(PyTuple_Pack(1, node_type));
  if (bases) entry->second = reinterpret_cast<PyTypeObject*>(PyType_FromSpecWithBases(&spec, bases.get()));
  return entry->second;
}

}  // namespace

PyObject* functionToPyObject(const std::shared_ptr<Node>& node) {
  if (!node) Py_RETURN_NONE;
  if (auto* known = static_cast<PyObject*>(node->pyobj())) return Py_NewRef(known);
  PyTypeObject* type = type_named(node->name());
  if (!type) return nullptr;
  PyObject* object = type->tp_alloc(type, 0);
  if (!object) return nullptr;
  new (&reinterpret_cast<THPCppFunction*>(object)->cdata) std::shared_ptr<Node>(node);
  node->set_pyobj(object);
  return object;
}

bool THPCppFunction_Check(PyObject* object) { return PyObject_TypeCheck(object, node_type); }
const std::shared_ptr<Node>& THPCppFunction_Unpack(PyObject* object) { return reinterpret_cast<THPCppFunction*>(object)->cdata; }

bool THPCppFunction_initModule(PyObject* module) {
  PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                         {Py_tp_repr, reinterpret_cast<void*>(repr)},
                         {Py_tp_methods, methods},
                         {Py_tp_getset, properties},
                         {Py_tp_doc, const_cast<char*>("A node of the graph of gradients. The engine makes them.")},
                         {0, nullptr}};
  PyType_Spec spec = {"tensorlib._C._NodeBase", sizeof(THPCppFunction), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  node_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return node_type && PyModule_AddObjectRef(module, "_NodeBase", reinterpret_cast<PyObject*>(node_type)) == 0;
}

}  // namespace tensorlib::autograd
