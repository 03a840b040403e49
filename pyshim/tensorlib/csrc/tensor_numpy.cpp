#include "tensor_numpy.h"

#include <cstring>
#include <string>

#include "Exceptions.h"
#include "core/Exception.h"
#include "core/Warning.h"
#include "gil.h"
#include "python_numbers.h"
#include "python_variable.h"

namespace tensorlib {

namespace {

/// NumPy's array interface, version 3, as its documentation lays it out.
struct PyArrayInterface {
  int two;
  int nd;
  char typekind;
  int itemsize;
  int flags;
  Py_intptr_t* shape;
  Py_intptr_t* strides;
  void* data;
  PyObject* descr;
};
constexpr int notswapped = 0x200;
constexpr int writeable = 0x400;

bool has_class_named(PyObject* object, const char* wanted) {
  PyObject* mro = Py_TYPE(object)->tp_mro;
  for (Py_ssize_t i = 0; mro && i < PyTuple_GET_SIZE(mro); ++i) {
    if (std::strcmp(reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(mro, i))->tp_name, wanted) == 0) return true;
  }
  return false;
}

struct Interface {
  explicit Interface(PyObject* object) : capsule(PyObject_GetAttrString(object, "__array_struct__")) {
    if (!capsule) throw python_error();
    array = static_cast<const PyArrayInterface*>(PyCapsule_GetPointer(capsule.get(), nullptr));
    if (!array) throw python_error();
  }
  THPObjectPtr capsule;
  const PyArrayInterface* array;
};

std::string element_type_name(PyObject* object) {
  const THPObjectPtr dtype(PyObject_GetAttrString(object, "dtype"));
  const THPObjectPtr type(dtype ? PyObject_GetAttrString(dtype.get(), "type") : nullptr);
  if (type && PyType_Check(type.get())) return reinterpret_cast<PyTypeObject*>(type.get())->tp_name;
  PyErr_Clear();
  return "?";
}

ScalarType element_type(const PyArrayInterface& array, PyObject* object) {
  switch (array.typekind * 100 + array.itemsize) {
    case 'f' * 100 + 4:
      return ScalarType::Float;
    case 'f' * 100 + 8:
      return ScalarType::Double;
    case 'i' * 100 + 8:
      return ScalarType::Long;
    case 'i' * 100 + 4:
      return ScalarType::Int;
    case 'i' * 100 + 2:
      return ScalarType::Short;
    case 'i' * 100 + 1:
      return ScalarType::Char;
    case 'u' * 100 + 1:
      return ScalarType::Byte;
    case 'b' * 100 + 1:
      return ScalarType::Bool;
  }
  throw TypeError("can't convert np.ndarray of type " + element_type_name(object) +
                  ". The only supported types are: float64, float32, int64, int32, int16, int8, uint8, and bool.");
}

void release_object(void* object) {
  if (!Py_IsInitialized()) return;
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(static_cast<PyObject*>(object));
  PyGILState_Release(state);
}

}  // namespace

bool is_numpy_array(PyObject* object) { return has_class_named(object, "numpy.ndarray"); }
bool is_numpy_scalar(PyObject* object) { return has_class_named(object, "numpy.generic"); }

ScalarType numpy_dtype_to_scalar_type(PyObject* object) { return element_type(*Interface(object).array, object); }

Tensor tensor_from_numpy(PyObject* object, bool warn_if_not_writable) {
  if (!is_numpy_array(object)) throw TypeError(std::string("expected np.ndarray (got ") + Py_TYPE(object)->tp_name + ")");
  const Interface interface(object);
  const PyArrayInterface& array = *interface.array;
  const ScalarType dtype = element_type(array, object);
  if (!(array.flags & notswapped)) {
    throw ValueError(
        "given numpy array has byte order different from the native byte order. Conversion between byte orders is currently not "
        "supported.");
  }
  DimVector sizes, strides;
  for (int i = 0; i < array.nd; ++i) {
    if (array.strides[i] < 0) {
      throw ValueError(
          "At least one stride in the given numpy array is negative, and tensors with negative strides are not currently supported. (You "
          "can "
          "probably work around this by making a copy of your array  with array.copy().) ");
    }
    if (array.shape[i] > 1 && array.strides[i] % array.itemsize) {
      throw ValueError("given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the memory.");
    }
    sizes.push_back(array.shape[i]);
    strides.push_back(array.strides[i] / array.itemsize);
  }
  if (warn_if_not_writable && !(array.flags & writeable)) {
    warn(
        "The given NumPy array is not writable, and tensors do not support non-writable memory: writing to the tensor is undefined "
        "behavior. Copy the array to protect its data, or make it writable.");
  }
  return from_blob(array.data, sizes, strides, dtype, release_object, Py_NewRef(object));
}

PyObject* tensor_to_numpy(PyObject* self_, bool force) {
  const Tensor& self = THPVariable_Unpack(self_);
  if (self.requires_grad() && !force) {
    raise("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.");
  }
  const THPObjectPtr numpy(PyImport_ImportModule("numpy"));
  if (!numpy) throw_from_python_error("Numpy is not available (python3-numpy brings it)");
  // A tensor of its own over the same memory, whose buffer NumPy may have: the array keeps it.
  const Tensor plain = as_strided(self, self.sizes(), self.strides(), self.storage_offset());
  const THPObjectPtr exporter(THPVariable_NewWithVar(&THPVariableType, plain));
  const THPObjectPtr view(exporter ? PyMemoryView_FromObject(exporter.get()) : nullptr);
  if (!view) throw python_error();
  return PyObject_CallMethod(numpy.get(), "asarray", "O", view.get());
}

}  // namespace tensorlib
