#include "DLConvertor.h"

#include <memory>
#include <string>

#include "Exceptions.h"
#include "core/Exception.h"

namespace tensorlib {

namespace {

// DLPack's ABI, version 0.x, as its specification lays it out.
struct DLDevice {
  std::int32_t device_type;
  std::int32_t device_id;
};
struct DLDataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor*);
};
constexpr std::int32_t kDLCPU = 1;
constexpr std::uint8_t kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLBool = 6;

struct Exported {
  Tensor tensor;
  DimVector sizes, strides;
  DLManagedTensor managed;
};

DLDataType data_type(ScalarType type) {
  const std::uint8_t code = isFloatingType(type)       ? kDLFloat
                            : type == ScalarType::Bool ? kDLBool
                            : type == ScalarType::Byte ? kDLUInt
                                                       : kDLInt;
  return {code, static_cast<std::uint8_t>(elementSize(type) * 8), 1};
}

ScalarType scalar_type(DLDataType type) {
  if (type.lanes != 1) raise("from_dlpack: elements of several lanes are not supported");
  for (int i = 0; i < numScalarTypes; ++i) {
    const DLDataType ours = data_type(static_cast<ScalarType>(i));
    if (ours.code == type.code && ours.bits == type.bits) return static_cast<ScalarType>(i);
  }
  throw TypeError("from_dlpack: there is no tensor of elements with code " + std::to_string(type.code) + " and " +
                  std::to_string(type.bits) + " bits");
}

void delete_exported(DLManagedTensor* managed) { delete static_cast<Exported*>(managed->manager_ctx); }

/// A capsule that nobody took over.
void delete_capsule(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor")) return;
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  if (managed->deleter) managed->deleter(managed);
}

void delete_imported(void* context) {
  auto* managed = static_cast<DLManagedTensor*>(context);
  if (!managed->deleter) return;
  // The other side may be Python's.
  const bool python = Py_IsInitialized();
  const PyGILState_STATE state = python ? PyGILState_Ensure() : PyGILState_UNLOCKED;
  managed->deleter(managed);
  if (python) PyGILState_Release(state);
}

}  // namespace

PyObject* toDLPack(const Tensor& self) {
  if (self.requires_grad()) raise("Can't export tensors that require gradient, use tensor.detach()");
  auto exported = std::make_unique<Exported>(Exported{self, self.sizes(), self.strides(), {}});
  // A dimension of size 1 has a stride that nobody needs; some readers take an odd one for a gap.
  for (std::size_t i = 0; i < exported->strides.size(); ++i) {
    if (exported->sizes[i] < 2) exported->strides[i] = 1;
  }
  DLManagedTensor& managed = exported->managed;
  managed.dl_tensor = {self.data(),
                       {kDLCPU, 0},
                       static_cast<std::int32_t>(self.dim()),
                       data_type(self.dtype()),
                       exported->sizes.data(),
                       exported->strides.data(),
                       0};
  managed.manager_ctx = exported.get();
  managed.deleter = delete_exported;
  PyObject* capsule = PyCapsule_New(&managed, "dltensor", delete_capsule);
  if (!capsule) throw python_error();
  exported.release();
  return capsule;
}

Tensor fromDLPack(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor")) {
    raise(
        "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you might have already "
        "constructed a tensor from it once.");
  }
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  const DLTensor& source = managed->dl_tensor;
  if (source.device.device_type != kDLCPU) raise("from_dlpack: the memory is not on the CPU");
  const ScalarType dtype = scalar_type(source.dtype);
  const IntArrayRef sizes(source.shape, static_cast<std::size_t>(source.ndim));
  const DimVector strides = source.strides ? DimVector(IntArrayRef(source.strides, sizes.size())) : contiguous_strides(sizes);
  for (std::size_t i = 0; i < strides.size(); ++i) {
    if (strides[i] < 0 && sizes[i] > 1) throw ValueError("from_dlpack: negative strides are not supported; copy the array first");
  }
  const Tensor result = from_blob(static_cast<char*>(source.data) + source.byte_offset, sizes, strides, dtype, delete_imported, managed);
  PyCapsule_SetName(capsule, "used_dltensor");
  return result;
}

}  // namespace tensorlib
