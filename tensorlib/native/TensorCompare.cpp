// where and masked_fill: a choice per element.
#include "core/Exception.h"
#include "core/MemoryOverlap.h"
#include "core/Warning.h"
#include "native/IndexKernel.h"
#include "native/Indexing.h"
#include "native/IndexingUtils.h"
#include "native/TensorConversions.h"
#include "native/TensorShape.h"
#include "native/TypeProperties.h"
#include "ops/Functions.h"
#include "ops/NativeFunctions.h"

namespace tensorlib::native {

DEFINE_DISPATCH(where_kernel);
DEFINE_DISPATCH(masked_fill_stub);

Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other) {
  if (condition.dtype() != ScalarType::Bool && condition.dtype() != ScalarType::Byte) {
    raise(std::string("where expected condition to be a boolean tensor, but got a tensor with dtype ") + toString(condition.dtype()));
  }
  if (condition.dtype() == ScalarType::Byte) {
    warn(
        "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version. Use a boolean "
        "condition instead.");
  }
  const ScalarType type = result_type(self, other);
  TensorIteratorConfig config;
  config.check_all_same_dtype(false).declare_static_dtype(type);
  config.add_owned_output(Tensor());
  config.add_owned_input(condition.dtype() == ScalarType::Bool ? condition : to(condition, ScalarType::Bool));
  config.add_owned_input(self.dtype() == type ? self : to(self, type));
  config.add_owned_input(other.dtype() == type ? other : to(other, type));
  TensorIterator iter = config.build();
  where_kernel(iter);
  return iter.output();
}

namespace {

/// A mask of integers holds 0 and 1.
Tensor truth_of(const Tensor& mask) {
  if (mask.dtype() == ScalarType::Bool) return mask;
  if (!isIntegralType(mask.dtype(), false)) {
    raise(std::string("masked_fill_ only supports boolean masks, but got mask with dtype ") + pythonName(mask.dtype()));
  }
  if (mask.dtype() == ScalarType::Byte) {
    warn(
        "masked_fill_ received a mask with dtype torch.uint8, this behavior is now deprecated, please use a mask with dtype torch.bool "
        "instead.");
  }
  Tensor truth = to(mask, ScalarType::Bool);
  if (at::item(at::any(at::ne(at::to(truth, mask.dtype()), mask))).toBool()) raise("Mask tensor can take 0 and 1 values only");
  return truth;
}

}  // namespace

Tensor& masked_fill_(Tensor& self, const Tensor& mask, const Scalar& value) {
  const Tensor truth = truth_of(mask);
  warn_if_expanded(self, "masked_fill_");
  assert_no_partial_overlap(self, mask);
  TensorIterator iter = TensorIteratorConfig()
                            .set_check_mem_overlap(false)
                            .check_all_same_dtype(false)
                            .resize_outputs(false)
                            .add_output(self)
                            .add_input(truth)
                            .build();
  masked_fill_stub(iter, value);
  return self;
}

Tensor& masked_fill_(Tensor& self, const Tensor& mask, const Tensor& value) {
  if (value.dim() != 0) {
    raise("masked_fill_ only supports a 0-dimensional value tensor, but got tensor with " + std::to_string(value.dim()) + " dimension(s).");
  }
  return masked_fill_(self, mask, tensorlib::item(value));
}

namespace {

/// A copy of self in the shape that it and the mask broadcast to.
Tensor copy_for(const Tensor& self, const Tensor& mask) {
  return clone(expand(self, infer_size(self.sizes(), mask.sizes())), std::nullopt);
}

}  // namespace

Tensor masked_fill(const Tensor& self, const Tensor& mask, const Scalar& value) {
  Tensor result = copy_for(self, mask);
  return masked_fill_(result, mask, value);
}
Tensor masked_fill(const Tensor& self, const Tensor& mask, const Tensor& value) {
  Tensor result = copy_for(self, mask);
  return masked_fill_(result, mask, value);
}

std::vector<Tensor> where(const Tensor& condition) { return at::nonzero_numpy(condition); }

Tensor where(const Tensor& condition, const Scalar& self, const Tensor& other) {
  return at::where(condition, wrapped_scalar_tensor(self), other);
}
Tensor where(const Tensor& condition, const Tensor& self, const Scalar& other) {
  return at::where(condition, self, wrapped_scalar_tensor(other));
}
Tensor where(const Tensor& condition, const Scalar& self, const Scalar& other) {
  return at::where(condition, wrapped_scalar_tensor(self), wrapped_scalar_tensor(other));
}

}  // namespace tensorlib::native
