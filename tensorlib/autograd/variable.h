// What autograd keeps with a tensor: its gradient and where it came from; and for a view, of what it is one.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "autograd/edge.h"
#include "autograd/function.h"
#include "autograd/function_hook.h"
#include "core/AutogradMetaInterface.h"
#include "core/Tensor.h"

namespace tensorlib::autograd {

struct AutogradMeta : AutogradMetaInterface {
  ~AutogradMeta() override {
    if (self_) *self_ = nullptr;
  }
  bool requires_grad() const override { return false; }
  bool is_leaf() const override { return !grad_fn_; }

  Tensor grad_;
  std::shared_ptr<Node> grad_fn_;
  std::weak_ptr<Node> grad_accumulator_;                 ///< a leaf's node; the graph keeps it, the tensor only finds it again
  std::vector<std::unique_ptr<FunctionPreHook>> hooks_;  ///< a leaf's; those of a computed tensor are with its node
  std::unique_ptr<PostAccumulateGradHook> post_acc_grad_hook_;
  bool is_view_ = false;
  std::int32_t retains_grad_ = -1;  ///< the place of the hook among its node's inputs
  std::uint32_t output_nr_ = 0;     ///< which result of grad_fn_ it is
  /// For hooks that must find this and not keep it: null once the tensor is gone. Made by the first of them.
  std::shared_ptr<AutogradMeta*> self_;
  std::mutex mutex_;
};

/// How a view came to be, which decides what an in-place operation on it may do.
enum class CreationMeta : std::uint8_t { DEFAULT, IN_CUSTOM_FUNCTION, MULTI_OUTPUT_NODE, NO_GRAD_MODE, INFERENCE_MODE };

/// A view's. Its grad_fn is made anew when the base was written to since; base_ is never a view itself.
struct DifferentiableViewMeta : AutogradMeta {
  DifferentiableViewMeta(Tensor base, CreationMeta creation_meta)
      : base_(std::move(base)), creation_meta_(creation_meta), attr_version_(base_.impl()->current_version()) {
    is_view_ = true;
  }
  bool requires_grad() const override { return base_.requires_grad(); }
  bool is_leaf() const override { return !grad_fn_ && !(base_.requires_grad() && is_stale()); }
  /// Whether grad_fn_ speaks of the base as it was before someone wrote to it.
  bool is_stale() const { return base_.impl()->current_version() != attr_version_; }

  Tensor base_;
  CreationMeta creation_meta_;
  std::uint32_t attr_version_;  ///< the base's version when grad_fn_ was made
};

namespace impl {

AutogradMeta* get_autograd_meta(const Tensor& self);
/// Made if it is not there.
AutogradMeta* materialize_autograd_meta(const Tensor& self);
/// Null for what is no view.
DifferentiableViewMeta* get_view_autograd_meta(const Tensor& self);

/// The node that made it; null for a leaf. A view of a base that was written to since gets a new one here.
const std::shared_ptr<Node>& grad_fn(const Tensor& self);
std::shared_ptr<Node> grad_accumulator(const Tensor& self);
/// To the node that made it, or to its AccumulateGrad.
Edge gradient_edge(const Tensor& self);
void set_gradient_edge(const Tensor& self, Edge edge);
std::uint32_t output_nr(const Tensor& self);

const Tensor& grad(const Tensor& self);
Tensor& mutable_grad(const Tensor& self);

/// After an in-place operation: self is now what `gradient_edge` made, and so is the part of its base that it views.
void rebase_history(const Tensor& self, Edge gradient_edge);

/// Gives self the memory, sizes and type of new_data; its gradient and history stay. Raises Error where it wants gradients and new_data has
/// integers, and where one is an inference tensor and the other is not.
void set_data(const Tensor& self, const Tensor& new_data);

void set_requires_grad(const Tensor& self, bool requires_grad);
/// Makes it a leaf that wants no gradient. Raises Error for a view, whose base would not know.
void detach_(const Tensor& self);
void retain_grad(const Tensor& self);
bool retains_grad(const Tensor& self);
void add_hook(const Tensor& self, std::unique_ptr<FunctionPreHook> hook);
const Tensor& base(const Tensor& self);
bool is_view(const Tensor& self);
bool is_leaf(const Tensor& self);

/// The same memory without history, sharing the count of writes. What SavedVariable keeps of a result.
Tensor tensor_data(const Tensor& self);

}  // namespace impl

/// A tensor over the memory of `self`, marked as a view of it (or of what it views).
/// Not differentiable: only the memory and the count of writes are shared, as with detach().
Tensor as_view(const Tensor& self, Tensor result, bool is_differentiable, CreationMeta creation_meta);
/// DEFAULT, or what the thread's mode makes of it; `otherwise` in ordinary mode.
CreationMeta creation_meta_of_mode(CreationMeta otherwise = CreationMeta::DEFAULT);

inline Edge make_edge(const Tensor& tensor) { return tensor.defined() ? impl::gradient_edge(tensor) : Edge(); }

inline void append_next_edge(edge_list& edges, const Tensor& tensor) { edges.push_back(make_edge(tensor)); }
inline void append_next_edge(edge_list& edges, const std::optional<Tensor>& tensor) {
  edges.push_back(tensor ? make_edge(*tensor) : Edge());
}
template <typename List>
requires requires(const List& list) { list.begin(); }
void append_next_edge(edge_list& edges, const List& list) {
  for (const Tensor& tensor : list) append_next_edge(edges, tensor);
}

template <typename... Variables>
edge_list collect_next_edges(const Variables&... variables) {
  edge_list edges;
  edges.reserve(sizeof...(variables));
  (append_next_edge(edges, variables), ...);
  return edges;
}

}  // namespace tensorlib::autograd
