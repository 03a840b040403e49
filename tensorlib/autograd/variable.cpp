#include "autograd/variable.h"

#include <algorithm>

#include "autograd/functions/accumulate_grad.h"
#include "autograd/functions/copy_slices.h"
#include "autograd/functions/retain_grad.h"
#include "core/Exception.h"
#include "core/LocalDispatchKeySet.h"

namespace tensorlib::autograd {

namespace impl {

AutogradMeta* get_autograd_meta(const Tensor& self) { return static_cast<AutogradMeta*>(self.impl()->autograd_meta()); }

AutogradMeta* materialize_autograd_meta(const Tensor& self) {
  if (!self.impl()->autograd_meta()) self.impl()->set_autograd_meta(std::make_unique<AutogradMeta>());
  return get_autograd_meta(self);
}

DifferentiableViewMeta* get_view_autograd_meta(const Tensor& self) {
  AutogradMeta* meta = get_autograd_meta(self);
  return meta && meta->is_view_ ? static_cast<DifferentiableViewMeta*>(meta) : nullptr;
}

namespace {

void check_view_has_one_output(const DifferentiableViewMeta& meta) {
  if (meta.creation_meta_ == CreationMeta::MULTI_OUTPUT_NODE) {
    raise(meta.grad_fn_->name() +
          ": the base of a view that is one of several results was modified inplace after the view was made, so the view has no gradient");
  }
}

}  // namespace

const std::shared_ptr<Node>& grad_fn(const Tensor& self) {
  static const std::shared_ptr<Node> none;
  AutogradMeta* meta = get_autograd_meta(self);
  if (!meta) return none;
  DifferentiableViewMeta* view = get_view_autograd_meta(self);
  if (!view) return meta->grad_fn_;
  const std::lock_guard lock(view->mutex_);
  if ((!view->grad_fn_ && !view->base_.requires_grad()) || !view->is_stale()) return view->grad_fn_;
  if (view->grad_fn_) check_view_has_one_output(*view);
  view->grad_fn_ = make_as_strided_node(view->base_, self);
  view->output_nr_ = 0;
  self.impl()->set_requires_grad(true);
  view->attr_version_ = self.impl()->current_version();
  return view->grad_fn_;
}

bool is_leaf(const Tensor& self) { return self.impl()->is_leaf(); }

std::shared_ptr<Node> grad_accumulator(const Tensor& self) {
  AutogradMeta* meta = get_autograd_meta(self);
  if (!self.requires_grad()) return nullptr;
  if (!meta) meta = materialize_autograd_meta(self);
  const std::lock_guard lock(meta->mutex_);
  if (auto known = meta->grad_accumulator_.lock()) return known;
  auto node = std::make_shared<AccumulateGrad>(self);
  meta->grad_accumulator_ = node;
  return node;
}

Edge gradient_edge(const Tensor& self) {
  if (const auto& node = grad_fn(self)) return {node, output_nr(self)};
  return {grad_accumulator(self), 0};
}

void set_gradient_edge(const Tensor& self, Edge edge) {
  AutogradMeta* meta = materialize_autograd_meta(self);
  meta->grad_fn_ = std::move(edge.function);
  meta->output_nr_ = edge.input_nr;
  self.impl()->set_requires_grad(meta->grad_fn_ != nullptr);
  // A view whose base was written to would be asked to make its node anew; this one is right for the base as it is.
  if (DifferentiableViewMeta* view = get_view_autograd_meta(self)) view->attr_version_ = self.impl()->current_version();
}

std::uint32_t output_nr(const Tensor& self) {
  const AutogradMeta* meta = get_autograd_meta(self);
  return meta ? meta->output_nr_ : 0;
}

const Tensor& grad(const Tensor& self) {
  static const Tensor none;
  const AutogradMeta* meta = get_autograd_meta(self);
  return meta ? meta->grad_ : none;
}

Tensor& mutable_grad(const Tensor& self) { return materialize_autograd_meta(self)->grad_; }

namespace {

/// retain_grad() asked before an in-place operation is about the tensor after it; other hooks stay with the old node.
void move_retains_grad_hook(const Tensor& self, const std::shared_ptr<Node>& from, std::int32_t index) {
  if (index < 0 || !from) return;
  AutogradMeta* meta = get_autograd_meta(self);
  auto hook = from->retains_grad_hooks().extract(static_cast<std::uint32_t>(index));
  if (hook.empty()) return;
  hook.key() = meta->output_nr_;
  meta->grad_fn_->retains_grad_hooks().insert(std::move(hook));
  meta->retains_grad_ = static_cast<std::int32_t>(meta->output_nr_);
}

void rebase_view(const Tensor& self, DifferentiableViewMeta& view, Edge edge) {
  if (edge.input_nr != 0 || edge.function->num_inputs() != 1) {
    raise("rebase_history: an in-place operation on a view must be a node with one result");
  }
  auto copy_slices = std::make_shared<CopySlices>(view.base_, TensorGeometry(self), std::move(edge.function));
  const AutogradMeta* base_meta = get_autograd_meta(view.base_);
  const std::shared_ptr<Node> base_node = base_meta ? base_meta->grad_fn_ : nullptr;
  const std::int32_t retained = base_meta ? base_meta->retains_grad_ : -1;
  set_gradient_edge(view.base_, {std::move(copy_slices), 0});
  move_retains_grad_hook(view.base_, base_node, retained);
  grad_fn(self);  // makes the view's node anew, from the base as it is now
}

}  // namespace

void rebase_history(const Tensor& self, Edge edge) {
  const AutogradMeta* meta = get_autograd_meta(self);
  const std::shared_ptr<Node> old_node = meta ? meta->grad_fn_ : nullptr;
  const std::int32_t retained = meta ? meta->retains_grad_ : -1;
  if (DifferentiableViewMeta* view = get_view_autograd_meta(self)) {
    rebase_view(self, *view, std::move(edge));
  } else {
    set_gradient_edge(self, std::move(edge));
  }
  move_retains_grad_hook(self, old_node, retained);
}

void set_data(const Tensor& self, const Tensor& new_data) {
  if (self.impl()->is_inference() != new_data.impl()->is_inference()) {
    raise("Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type.");
  }
  if (self.requires_grad() && !isFloatingType(new_data.dtype())) {
    raise(std::string("data set to a tensor that requires gradients must be floating point or complex dtype, not ") +
          toString(new_data.dtype()));
  }
  // The node of a leaf knows shape and type.
  const bool another = self.dtype() != new_data.dtype() || !std::ranges::equal(self.sizes(), new_data.sizes());
  AutogradMeta* meta = get_autograd_meta(self);
  if (meta && another) meta->grad_accumulator_.reset();
  self.impl()->shallow_copy_from(*new_data.impl());
}

void set_requires_grad(const Tensor& self, bool requires_grad) {
  if (requires_grad && self.impl()->is_inference() && !InferenceMode::is_enabled()) {
    raise("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
  }
  if (requires_grad && !isFloatingType(self.dtype())) raise("only Tensors of floating point dtype can require gradients");
  // Before other threads see the tensor: they share what is made here.
  if (requires_grad) materialize_autograd_meta(self);
  self.impl()->set_requires_grad(requires_grad);
}

void detach_(const Tensor& self) {
  if (is_view(self)) {
    raise("Can't detach views in-place. Use detach() instead.");
  }
  if (get_autograd_meta(self)) set_gradient_edge(self, {});
  self.impl()->set_requires_grad(false);
}

bool retains_grad(const Tensor& self) {
  const AutogradMeta* meta = get_autograd_meta(self);
  return meta && meta->retains_grad_ >= 0;
}

void retain_grad(const Tensor& self) {
  if (!self.requires_grad()) raise("can't retain_grad on Tensor that has requires_grad=False");
  const auto& node = grad_fn(self);
  if (!node || retains_grad(self)) return;  // a leaf's gradient is kept anyway
  AutogradMeta* meta = get_autograd_meta(self);
  node->retains_grad_hooks()[meta->output_nr_] = std::make_unique<RetainGrad>(*meta);
  meta->retains_grad_ = static_cast<std::int32_t>(meta->output_nr_);
}

void add_hook(const Tensor& self, std::unique_ptr<FunctionPreHook> hook) {
  const auto& node = grad_fn(self);
  (node ? node->tensor_pre_hooks() : materialize_autograd_meta(self)->hooks_).push_back(std::move(hook));
}

const Tensor& base(const Tensor& self) {
  const DifferentiableViewMeta* view = get_view_autograd_meta(self);
  if (!view) raise("Can't get base of non-view Variable");
  return view->base_;
}

bool is_view(const Tensor& self) { return get_view_autograd_meta(self) != nullptr; }

Tensor tensor_data(const Tensor& self) {
  Tensor result = as_strided(self, self.sizes(), self.strides(), self.impl()->storage_offset());
  result.impl()->set_version_counter(self.impl()->version_counter());
  return result;
}

}  // namespace impl

CreationMeta creation_meta_of_mode(CreationMeta otherwise) {
  if (InferenceMode::is_enabled()) return CreationMeta::INFERENCE_MODE;
  return GradMode::is_enabled() ? otherwise : CreationMeta::NO_GRAD_MODE;
}

namespace {

/// A view of a view is what the more restricted of the two is.
CreationMeta propagate(CreationMeta outer, CreationMeta inner) { return outer == CreationMeta::DEFAULT ? inner : outer; }

}  // namespace

Tensor as_view(const Tensor& self, Tensor result, bool is_differentiable, CreationMeta creation_meta) {
  if (self.impl()->is_inference()) return result;
  // An operator that returns its argument made no view.
  if (result.is_same(self)) result = as_strided(self, self.sizes(), self.strides(), self.impl()->storage_offset());
  result.impl()->set_version_counter(self.impl()->version_counter());
  if (!is_differentiable) return result;
  const DifferentiableViewMeta* outer = impl::get_view_autograd_meta(self);
  const CreationMeta meta = outer ? propagate(outer->creation_meta_, creation_meta) : creation_meta;
  result.impl()->set_autograd_meta(std::make_unique<DifferentiableViewMeta>(outer ? outer->base_ : self, meta));
  return result;
}

}  // namespace tensorlib::autograd
