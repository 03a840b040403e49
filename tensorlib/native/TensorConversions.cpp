#include "native/TensorConversions.h"

#include <utility>

#include "core/Dispatch.h"
#include "core/Exception.h"
#include "native/Resize.h"
#include "native/TensorIterator.h"
#include "ops/Functions.h"
#include "ops/NativeFunctions.h"

namespace tensorlib::native {

DEFINE_DISPATCH(copy_stub);
DEFINE_DISPATCH(fill_stub);

namespace {

/// One element needs no loop: numbers meet tensors of other types all the time.
Tensor convert_one(const Tensor& self, ScalarType dtype) {
  const Tensor result = empty(self.sizes(), dtype);
  const Scalar value = tensorlib::item(self);
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(dtype, "to", { *result.data_ptr<scalar_t>() = value.cast<scalar_t>(); });
  return result;
}

}  // namespace

Tensor to(const Tensor& self, ScalarType dtype) {
  if (self.numel() == 1) return convert_one(self, dtype);
  TensorIterator iter;
  iter.build_copy_op(Tensor(), self, dtype);
  copy_stub(iter);
  return iter.output();
}

const Tensor& copy_(const Tensor& self, const Tensor& src) {
  if (self.is_same(src)) return self;
  TensorIterator iter;
  iter.build_copy_op(self, src, self.dtype());
  copy_stub(iter);
  return self;
}

const Tensor& fill_(const Tensor& self, const Scalar& value) {
  // An element may be written twice: with the same value.
  TensorIterator iter =
      TensorIteratorConfig().set_check_mem_overlap(false).check_all_same_dtype(false).resize_outputs(false).add_output(self).build();
  fill_stub(iter, value);
  return self;
}

Tensor& copy_(Tensor& self, const Tensor& src, bool) {
  copy_(std::as_const(self), src);
  return self;
}

Tensor& fill_(Tensor& self, const Scalar& value) {
  fill_(std::as_const(self), value);
  return self;
}

Tensor& fill_(Tensor& self, const Tensor& value) {
  if (value.dim() != 0) {
    raise("fill_ only supports 0-dimension value tensor but got tensor with " + std::to_string(value.dim()) + " dimensions.");
  }
  return fill_(self, tensorlib::item(value));
}

Tensor& zero_(Tensor& self) { return fill_(self, Scalar(0)); }

Tensor& resize_(Tensor& self, IntArrayRef size) {
  resize_(std::as_const(self), size);
  return self;
}

namespace {

Tensor row_major_copy(const Tensor& self) {
  const Tensor result = tensorlib::empty(self.sizes(), self.dtype());
  copy_(result, self);
  return result;
}

}  // namespace

Tensor clone(const Tensor& self, std::optional<std::int64_t> memory_format) {
  return memory_format == contiguous_format ? row_major_copy(self) : to(self, self.dtype());
}

Tensor contiguous(const Tensor& self) { return self.is_contiguous() ? self : at::clone(self, contiguous_format); }

Tensor _to_copy(const Tensor& self, std::optional<ScalarType> dtype) { return to(self, dtype.value_or(self.dtype())); }

Tensor to(const Tensor& self, ScalarType dtype, bool, bool copy) {
  return self.dtype() == dtype && !copy ? self : at::_to_copy(self, dtype);
}

Tensor type_as(const Tensor& self, const Tensor& other) { return at::to(self, other.dtype()); }

Scalar item(const Tensor& self) { return at::_local_scalar_dense(self); }
Scalar _local_scalar_dense(const Tensor& self) { return tensorlib::item(self); }

}  // namespace tensorlib::native
