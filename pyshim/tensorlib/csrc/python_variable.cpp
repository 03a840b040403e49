#include "python_variable.h"

#include <new>
#include <string>

#include "DType.h"
#include "Exceptions.h"
#include "core/Exception.h"
#include "gil.h"
#include "python_operators.h"
#include "python_torch_function.h"
#include "tensor_new.h"

namespace tensorlib {

PyObject* THPVariableClass = nullptr;
PyTypeObject THPVariableType = {PyVarObject_HEAD_INIT(nullptr, 0)};

namespace {

/// Objects of the class of results that died: the next results take their memory. Guarded by the GIL.
struct FreeList {
  static constexpr int capacity = 64;
  PyObject* objects[capacity];
  int count = 0;
};
FreeList free_list;

PyObject* allocate(PyTypeObject* type) {
  if (free_list.count == 0 || reinterpret_cast<PyObject*>(type) != THPVariableClass) return type->tp_alloc(type, 0);
  PyObject* object = free_list.objects[--free_list.count];
  Py_INCREF(type);
  _Py_NewReference(object);
  PyObject_GC_Track(object);
  return object;
}

/// Gives the memory back. The class owns a reference to itself in each of its objects.
void release(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (THPVariable_CheckExact(object) && free_list.count < FreeList::capacity) {
    free_list.objects[free_list.count++] = object;
    Py_DECREF(type);
    return;
  }
  // For classes between TensorBase and Tensor, Python's own deallocator sees to the reference.
  const bool below_tensor = THPVariableClass && PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(THPVariableClass));
  type->tp_free(object);
  if (below_tensor) Py_DECREF(type);
}

void THPVariable_dealloc(PyObject* object) {
  PyObject_GC_UnTrack(object);
  auto* self = reinterpret_cast<THPVariable*>(object);
  if (self->weakrefs) PyObject_ClearWeakRefs(object);
  Py_CLEAR(self->dict);
  if (self->cdata.defined()) self->cdata.impl()->set_pyobj(nullptr);
  self->cdata.~Tensor();
  release(object);
}

int THPVariable_traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(reinterpret_cast<THPVariable*>(object)->dict);
  if (Py_TYPE(object)->tp_flags & Py_TPFLAGS_HEAPTYPE) Py_VISIT(Py_TYPE(object));
  return 0;
}

int THPVariable_clear(PyObject* object) {
  Py_CLEAR(reinterpret_cast<THPVariable*>(object)->dict);
  return 0;
}

}  // namespace

PyObject* THPVariable_Wrap(Tensor tensor) {
  if (!tensor.defined()) return Py_NewRef(Py_None);
  if (auto* known = static_cast<PyObject*>(tensor.impl()->pyobj())) return Py_NewRef(known);
  return THPVariable_NewWithVar(THPVariableClass ? reinterpret_cast<PyTypeObject*>(THPVariableClass) : &THPVariableType, std::move(tensor));
}

PyObject* THPVariable_NewWithVar(PyTypeObject* type, Tensor tensor) {
  PyObject* object = allocate(type);
  if (!object) return nullptr;
  auto* self = reinterpret_cast<THPVariable*>(object);
  tensor.impl()->set_pyobj(object);
  new (&self->cdata) Tensor(std::move(tensor));
  self->dict = nullptr;
  self->weakrefs = nullptr;
  return object;
}

void THPVariable_setClass(PyTypeObject* type) {
  type->tp_dealloc = THPVariable_dealloc;
  Py_XSETREF(THPVariableClass, Py_NewRef(reinterpret_cast<PyObject*>(type)));
}

PyObject* wrap(const Scalar& scalar) {
  if (scalar.isFloatingPoint()) return PyFloat_FromDouble(scalar.toDouble());
  return scalar.isBoolean() ? PyBool_FromLong(scalar.toBool()) : PyLong_FromLongLong(scalar.toLong());
}

PyObject* wrap(ScalarType type) { return THPDtype_New(type); }

PyObject* wrap(const std::vector<Tensor>& tensors) {
  THPObjectPtr tuple(PyTuple_New(static_cast<Py_ssize_t>(tensors.size())));
  for (std::size_t i = 0; tuple && i < tensors.size(); ++i) {
    PyObject* object = wrap(tensors[i]);
    if (!object) return nullptr;
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), object);
  }
  return tuple.release();
}

PyObject* wrap(IntArrayRef values) {
  THPObjectPtr tuple(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (std::size_t i = 0; tuple && i < values.size(); ++i) {
    PyObject* number = PyLong_FromLongLong(values[i]);
    if (!number) return nullptr;
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), number);
  }
  return tuple.release();
}

PyTypeObject* new_result_type(const char* name, std::initializer_list<const char*> fields) {
  // The type keeps both for as long as it lives, which is for ever.
  auto* slots = new std::vector<PyStructSequence_Field>();
  for (const char* field : fields) slots->push_back({field, nullptr});
  slots->push_back({nullptr, nullptr});
  auto* full_name = new std::string(std::string("tensorlib.return_types.") + name);
  PyStructSequence_Desc description{full_name->c_str(), nullptr, slots->data(), static_cast<int>(fields.size())};
  PyTypeObject* type = PyStructSequence_NewType(&description);
  if (!type) throw python_error();
  return type;
}

PyObject* wrap_named(PyTypeObject* type, std::initializer_list<Tensor> tensors) {
  THPObjectPtr result(PyStructSequence_New(type));
  Py_ssize_t i = 0;
  for (const Tensor& tensor : tensors) {
    PyObject* object = result ? wrap(tensor) : nullptr;
    if (!object) return nullptr;
    PyStructSequence_SetItem(result.get(), i++, object);
  }
  return result.release();
}

namespace {

PyObject* THPVariable_pynew(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  if (type == &THPVariableType) throw TypeError("tensorlib._C.TensorBase is only a base: use tensorlib.Tensor or tensorlib.tensor(data)");
  return THPVariable_NewWithVar(type, legacy_tensor_new(args, kwargs));
  END_HANDLE_TH_ERRORS
}

}  // namespace

std::vector<PyMethodDef> joined(std::initializer_list<const PyMethodDef*> lists) {
  std::vector<PyMethodDef> all;
  for (const PyMethodDef* list : lists) {
    for (; list->ml_name; ++list) all.push_back(*list);
  }
  all.push_back({});
  return all;
}

bool THPVariable_initModule(PyObject* module) {
  THPVariableType.tp_name = "tensorlib._C.TensorBase";
  THPVariableType.tp_doc = "A strided tensor. tensorlib.Tensor is the class to use.";
  THPVariableType.tp_basicsize = sizeof(THPVariable);
  THPVariableType.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
  THPVariableType.tp_dictoffset = offsetof(THPVariable, dict);
  THPVariableType.tp_weaklistoffset = offsetof(THPVariable, weakrefs);
  THPVariableType.tp_dealloc = THPVariable_dealloc;
  THPVariableType.tp_traverse = THPVariable_traverse;
  THPVariableType.tp_clear = THPVariable_clear;
  THPVariableType.tp_new = THPVariable_pynew;
  // Both must live as long as the type.
  static std::vector<PyMethodDef> methods = joined({variable_operators().data(), variable_methods});
  THPVariableType.tp_methods = methods.data();
  static std::vector<PyGetSetDef> properties = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr}};
  for (const PyGetSetDef* property = variable_properties; property->name; ++property) properties.push_back(*asking(*property));
  properties.push_back({});
  THPVariableType.tp_getset = properties.data();
  THPVariableType.tp_as_mapping = &variable_as_mapping;
  THPVariableType.tp_as_buffer = &variable_as_buffer;
  return PyType_Ready(&THPVariableType) == 0 &&
         PyModule_AddObjectRef(module, "TensorBase", reinterpret_cast<PyObject*>(&THPVariableType)) == 0;
}

}  // namespace tensorlib
