#include "native/TensorConversions.h"

#include "core/Dispatch.h"
#include "core/MemoryOverlap.h"
#include "native/TensorIterator.h"

namespace tensorlib::native {

DEFINE_DISPATCH(copy_stub);
DEFINE_DISPATCH(fill_stub);

namespace {

/// One element needs no loop: numbers meet tensors of other types all the time.
Tensor convert_one(const Tensor& self, ScalarType dtype) {
  const Tensor result = empty(self.sizes(), dtype);
  const Scalar value = item(self);
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
  TensorIterator iter;
  iter.build_nullary_op(self);
  fill_stub(iter, value);
  return self;
}

Tensor contiguous(const Tensor& self) {
  if (self.is_contiguous()) return self;
  Tensor result = empty(self.sizes(), self.dtype());
  copy_(result, self);
  return result;
}

Tensor empty_like(const Tensor& self, ScalarType dtype) {
  if (self.is_non_overlapping_and_dense()) return empty_strided(self.sizes(), self.strides(), dtype);
  TensorIterator iter;
  iter.build_copy_op(Tensor(), self, dtype);
  return iter.output();
}

}  // namespace tensorlib::native
