#include "native/TensorConversions.h"

#include "native/TensorIterator.h"

namespace tensorlib::native {

DEFINE_DISPATCH(copy_stub);
DEFINE_DISPATCH(fill_stub);

Tensor to(const Tensor& self, ScalarType dtype) {
  TensorIterator iter;
  iter.build_copy_op(Tensor(), self, dtype);
  copy_stub(iter);
  return iter.output();
}

void copy_(const Tensor& self, const Tensor& src) {
  TensorIterator iter;
  iter.build_copy_op(self, src, self.dtype());
  copy_stub(iter);
}

void fill_(const Tensor& self, double value) {
  TensorIterator iter;
  iter.build_nullary_op(self);
  fill_stub(iter, value);
}

Tensor contiguous(const Tensor& self) {
  if (self.is_contiguous()) return self;
  Tensor result = empty(self.sizes(), self.dtype());
  copy_(result, self);
  return result;
}

}  // namespace tensorlib::native
