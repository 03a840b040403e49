#include "python_variable.h"

#include <structmember.h>

#include <new>
#include <string>

#include "DType.h"
#include "Exceptions.h"
#include "autograd/python_gc.h"
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

/// Gives the memory back. Python's classes own a reference to themselves in each of their objects.
void release(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (THPVariable_CheckExact(object) && free_list.count < FreeList::capacity) {
    free_list.objects[free_list.count++] = object;
  } else {
    type->tp_free(object);
  }
  if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) Py_DECREF(type);
}

/// Whether Python could tell this object from a new one for the same tensor.
bool is_told_apart(THPVariable* self) {
  return !THPVariable_CheckExact(reinterpret_cast<PyObject*>(self)) || self->weakrefs || (self->dict && PyDict_GET_SIZE(self->dict) > 0);
}

bool would_be_kept(THPVariable* self) {
  TensorImpl* impl = self->cdata.impl();
  return impl && impl->pyobj() == self && impl->use_count() > 1 && is_told_apart(self);
}

/// Where the engine still has the tensor of an object that Python let go of, the tensor owns the object from now on.
bool is_kept_by_tensor(THPVariable* self) {
  if (!would_be_kept(self)) return false;
  TensorImpl* impl = self->cdata.impl();
  impl->set_owns_pyobj(true);
  if (impl->forget_owner() == 0) {  // another thread was the last owner
    impl->regain_owner();
    impl->set_owns_pyobj(false);
    return false;
  }
  Py_SET_REFCNT(reinterpret_cast<PyObject*>(self), 1);
  return true;
}

/// TensorImpl::give_back_to_pyobj.
bool give_back_to_pyobj(TensorImpl& impl) {
  if (!Py_IsInitialized()) return false;
  const gil_scoped_acquire gil;
  if (impl.owns_pyobj()) {
    // The last owner's share in the tensor is the object's from now on, and the object belongs to whoever still has it.
    impl.set_owns_pyobj(false);
    Py_DECREF(static_cast<PyObject*>(impl.pyobj()));
    return true;
  }
  // While this thread waited, another found the object by a weak reference, and wrapped its tensor: that one counts on its own.
  return impl.forget_owner() != 0;
}

/// The members of classes with __slots__ below the tensor's own.
void clear_slots(PyObject* object) {
  for (PyTypeObject* type = Py_TYPE(object); type && type != &THPVariableType; type = type->tp_base) {
    // CPython keeps them behind the type object.
    auto* member = reinterpret_cast<PyMemberDef*>(reinterpret_cast<char*>(type) + Py_TYPE(type)->tp_basicsize);
    for (Py_ssize_t i = 0; i < Py_SIZE(type); ++i, ++member) {
      if (member->type != T_OBJECT_EX || (member->flags & READONLY)) continue;
      Py_CLEAR(*reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + member->offset));
    }
  }
}

void THPVariable_dealloc(PyObject* object) {
  auto* self = reinterpret_cast<THPVariable*>(object);
  if (is_kept_by_tensor(self)) return;
  if (Py_TYPE(object)->tp_finalize && PyObject_CallFinalizerFromDealloc(object) < 0) return;  // __del__ keeps it
  PyObject_GC_UnTrack(object);
  if (self->weakrefs) PyObject_ClearWeakRefs(object);
  if (!THPVariable_CheckExact(object)) clear_slots(object);
  Py_CLEAR(self->dict);
  if (self->cdata.defined()) self->cdata.impl()->set_pyobj(nullptr);
  self->cdata.~Tensor();
  release(object);
}

/// Whether nobody but the object owns its tensor: then it is for the collector to see what the tensor leads to.
bool is_only_owner(THPVariable* self) {
  TensorImpl* impl = self->cdata.impl();
  return impl && !impl->owns_pyobj() && impl->use_count() == 1;
}

int THPVariable_traverse(PyObject* object, visitproc visit, void* arg) {
  auto* self = reinterpret_cast<THPVariable*>(object);
  if (would_be_kept(self)) return 0;  // owners in the engine are not seen from here: what the object has is in use
  Py_VISIT(self->dict);
  return is_only_owner(self) ? autograd::traverse(self->cdata, visit, arg) : 0;
}

int THPVariable_clear(PyObject* object) {
  auto* self = reinterpret_cast<THPVariable*>(object);
  if (would_be_kept(self)) return 0;
  Py_CLEAR(self->dict);
  if (is_only_owner(self)) {
    self->cdata.impl()->set_pyobj(nullptr);
    const Tensor gone = std::move(self->cdata);
  }
  return 0;
}

}  // namespace

PyObject* THPVariable_Wrap(Tensor tensor) {
  if (!tensor.defined()) return Py_NewRef(Py_None);
  if (auto* known = static_cast<PyObject*>(tensor.impl()->pyobj())) {
    if (!tensor.impl()->owns_pyobj()) return Py_NewRef(known);
    // The reference that the tensor had is the caller's now, and the object owns the tensor again.
    tensor.impl()->set_owns_pyobj(false);
    tensor.impl()->regain_owner();
    return known;
  }
  return THPVariable_NewWithVar(THPVariableClass ? reinterpret_cast<PyTypeObject*>(THPVariableClass) : &THPVariableType, std::move(tensor));
}

PyObject* THPVariable_NewWithVar(PyTypeObject* type, Tensor tensor) {
  // Python gives each class a deallocator of its own, which could not leave an object alive.
  if (type->tp_dealloc != THPVariable_dealloc) type->tp_dealloc = THPVariable_dealloc;
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
  TensorImpl::give_back_to_pyobj = give_back_to_pyobj;
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
