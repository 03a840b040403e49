#include "autograd/VariableTypeUtils.h"

#include "core/Exception.h"

namespace tensorlib::autograd {

void set_history(const Tensor& result, const std::shared_ptr<Node>& node) {
  const std::uint32_t output_nr = node->add_input_metadata(result);
  if (result.defined() && isFloatingType(result.dtype())) impl::set_gradient_edge(result, {node, output_nr});
}

void set_history(const std::vector<Tensor>& results, const std::shared_ptr<Node>& node) {
  for (const Tensor& result : results) set_history(result, node);
}

void rebase_history(const Tensor& self, const std::shared_ptr<Node>& node) {
  const std::uint32_t output_nr = node->add_input_metadata(self);
  impl::rebase_history(self, {node, output_nr});
}

namespace {

std::string why_not(CreationMeta creation_meta, const DifferentiableViewMeta& view) {
  switch (creation_meta) {
    case CreationMeta::INFERENCE_MODE:
      return "A view was created in inference mode and is being modified inplace with grad mode enabled. Given that this use case is "
             "ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace either both "
             "inside the inference_mode block (if you don't want the inplace to be tracked) or both outside (if you want the inplace to be "
             "tracked).";
    case CreationMeta::NO_GRAD_MODE:
      return "A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given that this use case is "
             "ambiguous "
             "and error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace either both inside the "
             "no_grad block (if you don't want the inplace to be tracked) or both outside (if you want the inplace to be tracked).";
    case CreationMeta::IN_CUSTOM_FUNCTION:
    case CreationMeta::MULTI_OUTPUT_NODE:
    case CreationMeta::DEFAULT:
      break;
  }
  const std::string made = view.grad_fn_ ? "Output " + std::to_string(view.output_nr_) + " of " + view.grad_fn_->name() : "This tensor";
  return made + " is a view and is being modified inplace. This view " +
         (creation_meta == CreationMeta::MULTI_OUTPUT_NODE
              ? "is the output of a function that returns multiple views. Such functions do not "
                "allow the output views to be modified inplace. "
              : "was created inside a custom Function and the autograd logic to handle "
                "view+inplace would override its custom backward. ") +
         "You should replace the inplace operation by an out-of-place one.";
}

}  // namespace

void check_inplace(const Tensor& self, bool requires_grad) {
  if (!requires_grad || !GradMode::is_enabled()) return;
  if (const DifferentiableViewMeta* view = impl::get_view_autograd_meta(self)) {
    if (view->creation_meta_ != CreationMeta::DEFAULT) raise(why_not(view->creation_meta_, *view));
    if (self.requires_grad() && impl::is_leaf(view->base_)) {
      raise("a view of a leaf Variable that requires grad is being used in an in-place operation.");
    }
  }
  if (self.requires_grad() && impl::is_leaf(self)) raise("a leaf Variable that requires grad is being used in an in-place operation.");
}

void throw_error_out_requires_grad(std::string_view name) {
  raise(std::string(name) +
        "(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad.");
}

void increment_version(const Tensor& self) {
  if (!self.impl()->is_inference()) {
    self.impl()->bump_version();
  } else if (!InferenceMode::is_enabled()) {
    raise(
        "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal tensor before doing "
        "inplace update.");
  }
}

void increment_version(const std::optional<Tensor>& self) {
  if (self && self->defined()) increment_version(*self);
}

std::vector<SavedVariable> make_saved_variable_list(std::span<const Tensor> tensors, bool is_output) {
  std::vector<SavedVariable> saved;
  for (const Tensor& tensor : tensors) saved.emplace_back(tensor, is_output);
  return saved;
}

std::vector<SavedVariable> make_saved_variable_list(std::span<const std::optional<Tensor>> tensors, bool is_output) {
  std::vector<SavedVariable> saved;
  for (const auto& tensor : tensors) saved.emplace_back(tensor, is_output);
  return saved;
}

std::vector<Tensor> unpack_list(const std::vector<SavedVariable>& saved) {
  std::vector<Tensor> tensors;
  for (const SavedVariable& variable : saved) tensors.push_back(variable.unpack());
  return tensors;
}

std::vector<std::optional<Tensor>> unpack_opt_list(const std::vector<SavedVariable>& saved) {
  std::vector<std::optional<Tensor>> tensors;
  for (const SavedVariable& variable : saved) tensors.push_back(unpack_opt(variable));
  return tensors;
}

std::vector<DimVector> to_args_sizes(std::span<const Tensor> tensors) {
  std::vector<DimVector> sizes;
  for (const Tensor& tensor : tensors) sizes.emplace_back(tensor.sizes());
  return sizes;
}

std::vector<ScalarType> to_args_scalartypes(std::span<const Tensor> tensors) {
  std::vector<ScalarType> dtypes;
  for (const Tensor& tensor : tensors) dtypes.push_back(tensor.dtype());
  return dtypes;
}

}  // namespace tensorlib::autograd
