#include "autograd/saved_variable.h"

#include "autograd/variable.h"
#include "core/Exception.h"

namespace tensorlib::autograd {

const char* const ERR_BACKWARD_TWICE =
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). Saved "
    "intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to "
    "backward through the graph a second time or if you need to access saved tensors after calling backward.";

namespace {

std::string described(const Tensor& tensor) {
  return std::string("[tensorlib.") + toString(tensor.dtype()) + "Tensor" + " " + toString(tensor.sizes()) + "]";
}

}  // namespace

SavedVariable::SavedVariable(const Tensor& variable, bool is_output, bool is_inplace_on_view) {
  if (!variable.defined()) return;
  if (variable.impl()->is_inference()) {
    raise(
        "Inference tensors cannot be saved for backward. To work around you can make a clone to get a normal tensor and use it in "
        "autograd.");
  }
  was_default_constructed_ = false;
  is_inplace_on_view_ = is_inplace_on_view;
  variable.impl()->version_counter();  // from here on someone wants to know
  saved_version_ = variable.impl()->current_version();
  is_leaf_ = impl::is_leaf(variable);
  requires_grad_ = variable.requires_grad();
  if (is_inplace_on_view) weak_grad_fn_ = impl::grad_fn(variable);
  // An output that is kept as it is would keep its own node.
  saved_original_ = (!is_output || is_leaf_) && !is_inplace_on_view;
  if (saved_original_) {
    data_ = variable;
    return;
  }
  output_nr_ = impl::output_nr(variable);
  data_ = impl::tensor_data(variable);
}

std::shared_ptr<Node> SavedVariable::grad_fn(const std::shared_ptr<Node>& saved_for) const {
  if (saved_original_) return impl::grad_fn(data_);
  return is_inplace_on_view_ ? weak_grad_fn_.lock() : saved_for;
}

void SavedVariable::check_version(const std::shared_ptr<Node>& node) const {
  const std::uint32_t current = data_.impl()->current_version();
  if (current == saved_version_) return;
  std::string message =
      "one of the variables needed for gradient computation has been modified by an inplace operation: " + described(data_);
  if (node)
    message += ", which is output " + std::to_string(saved_original_ ? impl::output_nr(data_) : output_nr_) + " of " + node->name() + ",";
  message += " is at version " + std::to_string(current) + "; expected version " + std::to_string(saved_version_) + " instead.";
  if (AnomalyMode::is_enabled()) {
    message +=
        " Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in question was "
        "changed in there or anywhere later. Good luck!";
  } else {
    message +=
        " Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
        "tensorlib.autograd.set_detect_anomaly(True).";
  }
  raise(message);
}

Tensor SavedVariable::unpack(const std::shared_ptr<Node>& saved_for) const {
  if (was_default_constructed_) return Tensor();
  if (!data_.defined()) raise(ERR_BACKWARD_TWICE);
  const std::shared_ptr<Node> node = is_leaf_ ? nullptr : grad_fn(saved_for);
  check_version(node);
  if (saved_original_) return data_;
  Tensor result = impl::tensor_data(data_);
  if (node)
    impl::set_gradient_edge(result, {node, output_nr_});
  else if (requires_grad_)
    impl::set_requires_grad(result, true);
  return result;
}

}  // namespace tensorlib::autograd
