#include "autograd/functions/accumulate_grad.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "autograd/variable.h"
#include "core/LocalDispatchKeySet.h"
#include "ops/Functions.h"

namespace tensorlib::autograd {

namespace {

bool same_layout(const Tensor& a, const Tensor& b) { return std::ranges::equal(a.strides(), b.strides()); }

/// What .grad becomes by the first gradient: the gradient itself where nobody else holds it, else a copy laid out as the leaf is.
Tensor first_grad(const Tensor& variable, const Tensor& new_grad, bool may_steal) {
  if (GradMode::is_enabled()) return at::clone(new_grad);
  if (may_steal && same_layout(new_grad, variable)) return at::detach(new_grad);
  Tensor copy = empty_strided(variable.sizes(), variable.strides(), new_grad.dtype());
  at::copy_(copy, new_grad);
  return copy;
}

}  // namespace

// The highest of sequence numbers: a leaf's gradient is taken as soon as it is there, which frees memory early.
AccumulateGrad::AccumulateGrad(Tensor variable) : Node(std::numeric_limits<std::uint64_t>::max()), variable(std::move(variable)) {
  add_input_metadata(this->variable);
}

std::vector<std::unique_ptr<FunctionPreHook>>& AccumulateGrad::tensor_pre_hooks() {
  return impl::materialize_autograd_meta(variable)->hooks_;
}

PostAccumulateGradHook* AccumulateGrad::post_accumulate_grad_hook() {
  AutogradMeta* meta = impl::get_autograd_meta(variable);
  return meta ? meta->post_acc_grad_hook_.get() : nullptr;
}

variable_list AccumulateGrad::apply(variable_list&& grads) {
  if (!grads[0].defined() || !variable.requires_grad()) return {};
  const std::lock_guard lock(mutex_);
  const Tensor new_grad = std::move(grads[0]);
  Tensor grad = load_grad(variable);
  if (!grad.defined()) {
    exchange_grad(variable, first_grad(variable, new_grad, new_grad.impl()->use_count() == 1));
  } else if (GradMode::is_enabled()) {
    exchange_grad(variable, at::add(grad, new_grad));
  } else {
    at::add_(grad, new_grad);
  }
  return {};
}

namespace {

// For the handle alone, a few instructions: whoever holds a copy of it works without the lock.
std::mutex grad_mutex;

}  // namespace

Tensor load_grad(const Tensor& variable) {
  const std::lock_guard lock(grad_mutex);
  return impl::grad(variable);
}

Tensor exchange_grad(const Tensor& variable, Tensor grad) {
  const std::lock_guard lock(grad_mutex);
  return std::exchange(impl::mutable_grad(variable), std::move(grad));
}

}  // namespace tensorlib::autograd
