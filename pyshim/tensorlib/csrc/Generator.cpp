#include "Generator.h"

#include <random>
#include <string>

#include "DType.h"
#include "Exceptions.h"
#include "core/Exception.h"
#include "gil.h"
#include "python_variable.h"

namespace tensorlib {

namespace {

struct THPGenerator {
  PyObject_HEAD CPUGenerator* cdata;
  bool owned;
};

CPUGenerator& unpack(PyObject* self) { return *reinterpret_cast<THPGenerator*>(self)->cdata; }

/// A seed from -2^63 to 2^64 - 1; a negative one means 2^64 more.
std::uint64_t unpack_seed(PyObject* number) {
  const THPObjectPtr integer(PyNumber_Long(number));
  if (!integer) throw python_error();
  int overflowed = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer.get(), &overflowed);
  std::uint64_t seed = static_cast<std::uint64_t>(value);
  if (overflowed > 0) seed = PyLong_AsUnsignedLongLong(integer.get());
  if (overflowed < 0 || PyErr_Occurred()) {
    PyErr_Clear();
    raise("Overflow when unpacking long: a seed is an integer from -2**63 to 2**64 - 1");
  }
  return seed;
}

PyObject* manual_seed(PyObject* self, PyObject* number) {
  HANDLE_TH_ERRORS
  if (PyUnicode_Check(number) || PyBytes_Check(number)) {
    throw TypeError(std::string("manual_seed expected a number, but got ") + Py_TYPE(number)->tp_name);
  }
  const std::uint64_t seed = unpack_seed(number);
  const std::lock_guard lock(unpack(self).mutex());
  unpack(self).set_current_seed(seed);
  return Py_NewRef(self);
  END_HANDLE_TH_ERRORS
}

PyObject* initial_seed(PyObject* self, PyObject*) {
  const std::lock_guard lock(unpack(self).mutex());
  return PyLong_FromUnsignedLongLong(unpack(self).current_seed());
}

PyObject* seed_from_system(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  std::random_device device;
  // 53 bits, so that the seed is exact as a double too.
  const std::uint64_t seed = ((static_cast<std::uint64_t>(device()) << 32) | device()) & ((std::uint64_t{1} << 53) - 1);
  const std::lock_guard lock(unpack(self).mutex());
  unpack(self).set_current_seed(seed);
  return PyLong_FromUnsignedLongLong(seed);
  END_HANDLE_TH_ERRORS
}

PyObject* get_state(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  const std::int64_t size[] = {static_cast<std::int64_t>(sizeof(CPUGeneratorState))};
  const Tensor bytes = empty(size, ScalarType::Byte);
  const std::lock_guard lock(unpack(self).mutex());
  unpack(self).get_state(*reinterpret_cast<CPUGeneratorState*>(bytes.data()));
  return THPVariable_Wrap(bytes);
  END_HANDLE_TH_ERRORS
}

PyObject* set_state(PyObject* self, PyObject* object) {
  HANDLE_TH_ERRORS
  if (!THPVariable_Check(object)) throw TypeError(std::string("expected a tensor of uint8, but got ") + Py_TYPE(object)->tp_name);
  const Tensor bytes = THPVariable_Unpack(object);
  if (bytes.dtype() != ScalarType::Byte || !bytes.is_contiguous()) throw TypeError("RNG state must be a contiguous tensor of uint8");
  if (bytes.numel() != static_cast<std::int64_t>(sizeof(CPUGeneratorState))) {
    raise("RNG state has " + std::to_string(bytes.numel()) + " bytes, expected " + std::to_string(sizeof(CPUGeneratorState)) +
          ": it is none that get_state() gave");
  }
  const std::lock_guard lock(unpack(self).mutex());
  unpack(self).set_state(*reinterpret_cast<const CPUGeneratorState*>(bytes.data()));
  return Py_NewRef(self);
  END_HANDLE_TH_ERRORS
}

PyObject* get_device(PyObject*, void*) { return THPDevice_New(); }

PyMethodDef methods[] = {
    {"manual_seed", manual_seed, METH_O, "manual_seed(seed): starts anew; returns the generator."},
    {"initial_seed", initial_seed, METH_NOARGS, "The seed that the numbers started from."},
    {"seed", seed_from_system, METH_NOARGS, "Starts anew from a seed that the system draws; returns the seed."},
    {"get_state", get_state, METH_NOARGS, "Where the generator is, as a tensor of bytes for set_state."},
    {"set_state", set_state, METH_O, "set_state(bytes): goes on from where get_state() was called."},
    {},
};
PyGetSetDef properties[] = {{"device", get_device, nullptr, "tensorlib.device('cpu').", nullptr}, {}};

PyTypeObject THPGeneratorType = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyObject* THPGenerator_pynew(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const char* names[] = {"device", nullptr};
  PyObject* device = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", const_cast<char**>(names), &device)) return nullptr;
  if (device && !THPDevice_Check(device)) throw TypeError("Generator(): argument 'device' must be a device or its name");
  if (device) check_device(device);
  THPObjectPtr self(type->tp_alloc(type, 0));
  if (!self) return nullptr;
  reinterpret_cast<THPGenerator*>(self.get())->cdata = new CPUGenerator();
  reinterpret_cast<THPGenerator*>(self.get())->owned = true;
  return self.release();
  END_HANDLE_TH_ERRORS
}

void THPGenerator_dealloc(PyObject* self) {
  if (reinterpret_cast<THPGenerator*>(self)->owned) delete reinterpret_cast<THPGenerator*>(self)->cdata;
  Py_TYPE(self)->tp_free(self);
}

}  // namespace

bool THPGenerator_Check(PyObject* object) { return PyObject_TypeCheck(object, &THPGeneratorType); }
CPUGenerator& THPGenerator_Unpack(PyObject* object) { return unpack(object); }

bool THPGenerator_initModule(PyObject* module) {
  THPGeneratorType.tp_name = "tensorlib.Generator";
  THPGeneratorType.tp_doc = "A random generator: Generator(), then manual_seed(seed).";
  THPGeneratorType.tp_basicsize = sizeof(THPGenerator);
  THPGeneratorType.tp_flags = Py_TPFLAGS_DEFAULT;
  THPGeneratorType.tp_methods = methods;
  THPGeneratorType.tp_getset = properties;
  THPGeneratorType.tp_new = THPGenerator_pynew;
  THPGeneratorType.tp_dealloc = THPGenerator_dealloc;
  if (PyType_Ready(&THPGeneratorType) < 0) return false;
  const THPObjectPtr generator(THPGeneratorType.tp_alloc(&THPGeneratorType, 0));
  if (!generator) return false;
  reinterpret_cast<THPGenerator*>(generator.get())->cdata = &default_generator();
  return PyModule_AddObjectRef(module, "Generator", reinterpret_cast<PyObject*>(&THPGeneratorType)) == 0 &&
         PyModule_AddObjectRef(module, "default_generator", generator.get()) == 0;
}

}  // namespace tensorlib
