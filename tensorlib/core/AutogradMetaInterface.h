// What a tensor knows of autograd without including it: TensorImpl owns one of these, autograd/variable.h fills it in.
#pragma once

namespace tensorlib {

class Tensor;

struct AutogradMetaInterface {
  virtual ~AutogradMetaInterface() = default;
  /// Whether it takes part in gradients although the tensor itself does not say so: a view of a base that does.
  virtual bool requires_grad() const = 0;
  virtual bool is_leaf() const = 0;
};

}  // namespace tensorlib
