#include "autograd/functions/copy_slices.h"

#include "autograd/Functions.h"
#include "autograd/variable.h"
#include "core/Exception.h"
#include "ops/Functions.h"

namespace tensorlib::autograd {

namespace {

// The in-place operation's own node must find, for its first input, the node that this one passes gradients on to.
edge_list edges_of(const Tensor& base, const Node& fn) {
  edge_list edges = fn.next_edges();
  edges[0] = impl::gradient_edge(base);
  return edges;
}

}  // namespace

CopySlices::CopySlices(const Tensor& base, TensorGeometry view, std::shared_ptr<Node> fn)
    : base_(base), view_(std::move(view)), fn_(std::move(fn)) {
  add_input_metadata(base);
  if (fn_->num_outputs() == 0) return;
  set_next_edges(edges_of(base, *fn_));
  fn_->set_next_edges(edge_list(next_edges()));
}

void CopySlices::release_variables() { fn_ = nullptr; }

variable_list CopySlices::apply(variable_list&& grads) {
  const std::lock_guard lock(mutex_);
  if (!grads[0].defined()) return variable_list(num_outputs());
  if (!fn_) raise(ERR_BACKWARD_TWICE);
  Tensor result = empty_strided(base_.sizes, base_.strides, grads[0].dtype());
  at::copy_(result, grads[0]);
  Tensor grad_slice = at::as_strided(result, view_.sizes, view_.strides, view_.storage_offset - base_.storage_offset);
  variable_list inner = (*fn_)({at::clone(grad_slice)});
  variable_list grad_inputs(num_outputs());
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (!task_should_compute_output(i)) continue;
    if (i > 0) {
      grad_inputs[i] = std::move(inner[i]);
      continue;
    }
    if (inner[0].defined())
      at::copy_(grad_slice, inner[0]);
    else
      at::zero_(grad_slice);
    grad_inputs[0] = result;
  }
  return grad_inputs;
}

std::shared_ptr<Node> make_as_strided_node(const Tensor& base, const Tensor& view) {
  const TensorGeometry geometry(view);
  auto node = std::make_shared<AsStridedBackward0>();
  node->self_geometry = TensorGeometry(base);
  node->size = geometry.sizes;
  node->stride = geometry.strides;
  node->storage_offset = geometry.storage_offset;
  node->set_next_edges(collect_next_edges(base));
  node->add_input_metadata(view);
  return node;
}

}  // namespace tensorlib::autograd
