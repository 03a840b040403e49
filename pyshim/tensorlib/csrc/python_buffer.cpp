// The buffer protocol (PEP 3118): memoryview(t), numpy.asarray(t), file.write(t) see the tensor's memory, nothing copied.
//
// A buffer keeps the storage, and while there is one the storage cannot be resized: its address must not change.
#include <memory>

#include "Exceptions.h"
#include "core/Exception.h"
#include "python_variable.h"

namespace tensorlib {

namespace {

const char* format_of(ScalarType type) {
  switch (type) {
    case ScalarType::Byte:
      return "B";
    case ScalarType::Char:
      return "b";
    case ScalarType::Short:
      return "h";
    case ScalarType::Int:
      return "i";
    case ScalarType::Long:
      return "q";
    case ScalarType::Float:
      return "f";
    case ScalarType::Double:
      return "d";
    case ScalarType::Bool:
      return "?";
    case ScalarType::Undefined:
      break;
  }
  return "B";
}

struct Export {
  explicit Export(const Tensor& tensor) : storage(tensor.storage()) { storage->add_export(); }
  ~Export() { storage->remove_export(); }
  Export(const Export&) = delete;
  Export& operator=(const Export&) = delete;

  Storage storage;
  std::vector<Py_ssize_t> shape;
  std::vector<Py_ssize_t> strides;
};

bool is_fortran(const Tensor& self) {
  std::int64_t expected = 1;
  for (std::int64_t i = 0; i < self.dim(); ++i) {
    if (self.size(i) != 1 && self.stride(i) != expected) return false;
    expected *= self.size(i);
  }
  return true;
}

void check_layout(const Tensor& self, int flags) {
  const bool c_order = self.is_contiguous();
  const auto wants = [flags](int bits) { return (flags & bits) == bits; };
  const bool fits = wants(PyBUF_C_CONTIGUOUS)     ? c_order
                    : wants(PyBUF_F_CONTIGUOUS)   ? is_fortran(self)
                    : wants(PyBUF_ANY_CONTIGUOUS) ? c_order || is_fortran(self)
                    : wants(PyBUF_STRIDES)        ? true
                                                  : c_order;
  if (!fits) throw ValueError("the tensor is not contiguous in the way that is asked for: export t.contiguous()");
}

int THPVariable_getbuffer(PyObject* self_, Py_buffer* view, int flags) {
  view->obj = nullptr;
  try {
    const Tensor& self = THPVariable_Unpack(self_);
    if (self.requires_grad()) throw ValueError("a Tensor that requires grad has no buffer: use tensor.detach()");
    check_layout(self, flags);
    auto exported = std::make_unique<Export>(self);
    for (std::int64_t i = 0; i < self.dim(); ++i) {
      exported->shape.push_back(self.size(i));
      exported->strides.push_back(self.stride(i) * self.element_size());
    }
    view->buf = self.data();
    view->len = self.numel() * self.element_size();
    view->readonly = 0;
    view->itemsize = self.element_size();
    view->format = flags & PyBUF_FORMAT ? const_cast<char*>(format_of(self.dtype())) : nullptr;
    view->ndim = static_cast<int>(self.dim());
    view->shape = flags & PyBUF_ND ? exported->shape.data() : nullptr;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? exported->strides.data() : nullptr;
    view->suboffsets = nullptr;
    view->internal = exported.release();
    view->obj = Py_NewRef(self_);
    return 0;
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_BufferError, error.what());
    return -1;
  }
}

void THPVariable_releasebuffer(PyObject*, Py_buffer* view) { delete static_cast<Export*>(view->internal); }

}  // namespace

PyBufferProcs variable_as_buffer = {THPVariable_getbuffer, THPVariable_releasebuffer};

}  // namespace tensorlib
