#include "Generator.h"

#include "core/CPUGenerator.h"
#include "gil.h"

namespace tensorlib {

namespace {

struct THPGenerator {
  PyObject_HEAD CPUGenerator* cdata;
};

CPUGenerator& unpack(PyObject* self) { return *reinterpret_cast<THPGenerator*>(self)->cdata; }

PyObject* overflow() {
  PyErr_SetString(PyExc_RuntimeError, "Overflow when unpacking long: a seed is an integer from -2**63 to 2**64 - 1");
  return nullptr;
}

/// A seed from -2^63 to 2^64 - 1; a negative one means 2^64 more. False with a Python error.
bool unpack_seed(PyObject* number, std::uint64_t* seed) {
  const THPObjectPtr integer(PyNumber_Long(number));
  if (!integer) return false;
  int overflowed = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer.get(), &overflowed);
  *seed = static_cast<std::uint64_t>(value);
  if (overflowed > 0) *seed = PyLong_AsUnsignedLongLong(integer.get());
  if (!PyErr_Occurred() && overflowed >= 0) return true;
  PyErr_Clear();
  overflow();
  return false;
}

PyObject* manual_seed(PyObject* self, PyObject* number) {
  std::uint64_t seed = 0;
  if (PyUnicode_Check(number) || PyBytes_Check(number)) {
    PyErr_Format(PyExc_TypeError, "manual_seed expected a number, but got %s", Py_TYPE(number)->tp_name);
    return nullptr;
  }
  if (!unpack_seed(number, &seed)) return nullptr;
  const std::lock_guard lock(unpack(self).mutex());
  unpack(self).set_current_seed(seed);
  return Py_NewRef(self);
}

PyObject* initial_seed(PyObject* self, PyObject*) {
  const std::lock_guard lock(unpack(self).mutex());
  return PyLong_FromUnsignedLongLong(unpack(self).current_seed());
}

PyMethodDef methods[] = {
    {"manual_seed", manual_seed, METH_O, "manual_seed(seed): starts anew; returns the generator."},
    {"initial_seed", initial_seed, METH_NOARGS, "The seed that the numbers started from."},
    {},
};

PyTypeObject THPGeneratorType = {PyVarObject_HEAD_INIT(nullptr, 0)};

}  // namespace

bool THPGenerator_initModule(PyObject* module) {
  THPGeneratorType.tp_name = "tensorlib.Generator";
  THPGeneratorType.tp_doc = "A random generator.";
  THPGeneratorType.tp_basicsize = sizeof(THPGenerator);
  THPGeneratorType.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  THPGeneratorType.tp_methods = methods;
  if (PyType_Ready(&THPGeneratorType) < 0) return false;
  const THPObjectPtr generator(THPGeneratorType.tp_alloc(&THPGeneratorType, 0));
  if (!generator) return false;
  reinterpret_cast<THPGenerator*>(generator.get())->cdata = &default_generator();
  return PyModule_AddObjectRef(module, "Generator", reinterpret_cast<PyObject*>(&THPGeneratorType)) == 0 &&
         PyModule_AddObjectRef(module, "default_generator", generator.get()) == 0;
}

}  // namespace tensorlib
