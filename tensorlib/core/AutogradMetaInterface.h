// What a tensor knows of autograd without including it: TensorImpl owns one of these, autograd/variable.h fills it in.
#pragma once

namespace tensorlib {

class Tensor;

struct AutogradMetaInterface {
  virtual ~AutogradMetaInterface() = default;
  virtual void set_requires_grad(bool requires_grad) = 0;
  virtual bool requires_grad() const = 0;
  virtual bool is_leaf() const = 0;
};

}  // namespace tensorlib
