// Gradients of tensors that were written to through views.
#pragma once

#include "autograd/function.h"
#include "core/Tensor.h"

namespace tensorlib::autograd {

/// Where a tensor's elements are in its storage.
struct TensorGeometry {
  explicit TensorGeometry(const Tensor& tensor)
      : sizes(tensor.sizes()), strides(tensor.strides()), storage_offset(tensor.impl()->storage_offset()) {}
  DimVector sizes;
  DimVector strides;
  std::int64_t storage_offset;
};

/// The node of a base after an in-place operation on a view of it: the view's part of the gradient goes through that operation's
/// own node, the rest passes.
struct CopySlices : Node {
  /// The first input of `fn` is the view.
  CopySlices(const Tensor& base, TensorGeometry view, std::shared_ptr<Node> fn);

  std::string name() const override { return "CopySlices"; }
  void release_variables() override;

 protected:
  variable_list apply(variable_list&& grads) override;

 private:
  TensorGeometry base_;
  TensorGeometry view_;
  std::shared_ptr<Node> fn_;
};

/// A view's node, as if it had been made from the base as it is now.
std::shared_ptr<Node> make_as_strided_node(const Tensor& base, const Tensor& view);

}  // namespace tensorlib::autograd
