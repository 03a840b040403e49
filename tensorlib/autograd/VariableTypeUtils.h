// What the generated kernels of VariableType and ADInplaceOrView share.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/functions/basic_ops.h"
#include "autograd/saved_variable.h"
#include "autograd/variable.h"
#include "core/LocalDispatchKeySet.h"
#include "core/Tensor.h"

namespace tensorlib::autograd {

inline bool wants_grad(const Tensor& tensor) { return tensor.defined() && tensor.requires_grad(); }
inline bool wants_grad(const std::optional<Tensor>& tensor) { return tensor && wants_grad(*tensor); }
template <typename List>
requires requires(const List& list) { list.begin(); }
bool wants_grad(const List& list) {
  for (const auto& tensor : list) {
    if (wants_grad(tensor)) return true;
  }
  return false;
}

/// Whether the result of an operator on these tensors takes part in gradients, in this thread's mode.
template <typename... Tensors>
bool compute_requires_grad(const Tensors&... tensors) {
  return GradMode::is_enabled() && (wants_grad(tensors) || ...);
}

/// Makes `node` the one that made a result. A result that is no floating-point number has no gradient, but its place is kept.
void set_history(const Tensor& result, const std::shared_ptr<Node>& node);
void set_history(const std::vector<Tensor>& results, const std::shared_ptr<Node>& node);
/// The same after an in-place operation.
void rebase_history(const Tensor& self, const std::shared_ptr<Node>& node);

/// Raises Error where an in-place operation would lose history: on a leaf that wants gradients, or through a view whose base cannot be
/// told.
void check_inplace(const Tensor& self, bool requires_grad);
[[noreturn]] void throw_error_out_requires_grad(std::string_view name);

/// After an in-place operation. Raises Error for an inference tensor outside of inference mode.
void increment_version(const Tensor& self);
void increment_version(const std::optional<Tensor>& self);

std::vector<SavedVariable> make_saved_variable_list(std::span<const Tensor> tensors, bool is_output);
std::vector<SavedVariable> make_saved_variable_list(std::span<const std::optional<Tensor>> tensors, bool is_output);
std::vector<Tensor> unpack_list(const std::vector<SavedVariable>& saved);
std::vector<std::optional<Tensor>> unpack_opt_list(const std::vector<SavedVariable>& saved);
inline std::optional<Tensor> unpack_opt(const SavedVariable& saved) {
  Tensor tensor = saved.unpack();
  return tensor.defined() ? std::optional<Tensor>(std::move(tensor)) : std::nullopt;
}

// What a signature only looks at, as a node keeps it.
inline std::optional<DimVector> to_member(const std::optional<IntArrayRef>& list) {
  return list ? std::optional<DimVector>(*list) : std::nullopt;
}
inline std::string to_member(std::string_view text) { return std::string(text); }
inline std::optional<std::string> to_member(const std::optional<std::string_view>& text) {
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

std::vector<DimVector> to_args_sizes(std::span<const Tensor> tensors);
std::vector<ScalarType> to_args_scalartypes(std::span<const Tensor> tensors);

}  // namespace tensorlib::autograd
