// What a node knows of the tensors it made: gradients for them must have this shape and type.
#pragma once

#include "core/Tensor.h"

namespace tensorlib::autograd {

class InputMetadata {
 public:
  explicit InputMetadata(const Tensor& tensor) : sizes_(tensor.sizes()), dtype_(tensor.dtype()) {}

  IntArrayRef sizes() const { return sizes_; }
  ScalarType dtype() const { return dtype_; }

  bool is_same_shape(const Tensor& grad) const;
  /// Whether the gradient, summed over the dimensions that were broadcast, has this shape.
  bool is_expandable_to_shape(const Tensor& grad) const;
  Tensor reduce_grad(const Tensor& grad) const;

 private:
  DimVector sizes_;
  ScalarType dtype_;
};

}  // namespace tensorlib::autograd
