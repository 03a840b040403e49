// Node: a function of the graph of gradients. Forward makes one per differentiable operation; backward calls it with the gradients of
// that operation's results, and it returns the gradients of its arguments.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "autograd/edge.h"
#include "autograd/function_hook.h"
#include "autograd/input_metadata.h"

namespace tensorlib::autograd {

using edge_list = std::vector<Edge>;

/// What anomaly mode keeps with a node: where forward made it. The binding fills it in with Python's stack.
struct AnomalyMetadata {
  virtual ~AnomalyMetadata() = default;
  /// Tells the user where forward made the node of that name.
  virtual void print_stack(const std::string& node_name) = 0;
};

struct AnomalyMode {
  using Factory = std::unique_ptr<AnomalyMetadata> (*)();
  static bool is_enabled();
  static bool should_check_nan();
  static void set_enabled(bool enabled, bool check_nan = true);
  /// Makes what a new node keeps; null until the binding has set it.
  static Factory factory;
};

/// The node being evaluated on this thread by backward; null elsewhere.
std::shared_ptr<Node> get_current_node();

/// Nodes are shared by tensors and by the nodes before them. Building a graph is for one thread; evaluating locks each node.
struct Node : std::enable_shared_from_this<Node> {
  explicit Node(edge_list&& next_edges = edge_list());
  explicit Node(std::uint64_t sequence_nr);
  /// Lets go of the nodes behind it one after another: a chain of any length needs no deep stack.
  virtual ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  variable_list operator()(variable_list&& inputs);

  /// "PowBackward0".
  virtual std::string name() const = 0;
  /// Forgets saved tensors; to evaluate it again raises Error where one is needed.
  virtual void release_variables() {}
  virtual bool is_traceable() { return false; }

  // Inputs: gradients that come in, one per result of the forward operation.
  std::uint32_t add_input_metadata(const Tensor& tensor) {
    input_metadata_.emplace_back(tensor);
    return static_cast<std::uint32_t>(input_metadata_.size() - 1);
  }
  std::uint32_t num_inputs() const { return static_cast<std::uint32_t>(input_metadata_.size()); }
  const InputMetadata& input_metadata(std::size_t index) const { return input_metadata_[index]; }
  InputMetadata& mutable_input_metadata(std::size_t index) { return input_metadata_[index]; }
  void clear_input_metadata() { input_metadata_.clear(); }

  // Outputs: where the gradients of the forward operation's arguments go.
  std::uint32_t num_outputs() const { return static_cast<std::uint32_t>(next_edges_.size()); }
  const Edge& next_edge(std::size_t index) const { return next_edges_[index]; }
  const edge_list& next_edges() const { return next_edges_; }
  void set_next_edges(edge_list&& next_edges) { next_edges_ = std::move(next_edges); }
  void add_next_edge(Edge edge) { next_edges_.push_back(std::move(edge)); }
  bool should_compute_output(std::size_t index) const { return next_edges_[index].is_valid(); }

  /// Whether this backward wants output `index`; `inputs=` may leave some out.
  bool task_should_compute_output(std::size_t index) const;
  bool task_should_compute_output(std::initializer_list<std::pair<std::size_t, std::size_t>> ranges) const;

  /// The order in which this thread's forward made its nodes. Backward runs later ones first; leaves come before all.
  std::uint64_t sequence_nr() const { return sequence_nr_; }

  /// Those of the tensors it made; a leaf's are with the leaf.
  virtual std::vector<std::unique_ptr<FunctionPreHook>>& tensor_pre_hooks() { return tensor_pre_hooks_; }
  std::vector<std::unique_ptr<FunctionPreHook>>& pre_hooks() { return pre_hooks_; }
  std::vector<std::unique_ptr<FunctionPostHook>>& post_hooks() { return post_hooks_; }
  std::map<std::uint32_t, std::unique_ptr<FunctionPreHook>>& retains_grad_hooks() { return retains_grad_hooks_; }
  virtual PostAccumulateGradHook* post_accumulate_grad_hook() { return nullptr; }

  AnomalyMetadata* anomaly_metadata() const { return anomaly_metadata_.get(); }

  /// The Python object that stands for this node while one does; owned by the binding, guarded by the GIL.
  void* pyobj() const { return pyobj_; }
  void set_pyobj(void* object) { pyobj_ = object; }

 protected:
  virtual variable_list apply(variable_list&& inputs) = 0;

  std::mutex mutex_;
  edge_list next_edges_;

 private:
  const std::uint64_t sequence_nr_;
  std::vector<InputMetadata> input_metadata_;
  std::vector<std::unique_ptr<FunctionPreHook>> tensor_pre_hooks_;
  std::vector<std::unique_ptr<FunctionPreHook>> pre_hooks_;
  std::vector<std::unique_ptr<FunctionPostHook>> post_hooks_;
  std::map<std::uint32_t, std::unique_ptr<FunctionPreHook>> retains_grad_hooks_;
  std::unique_ptr<AnomalyMetadata> anomaly_metadata_;
  void* pyobj_ = nullptr;
};

/// A node whose apply calls nothing but operators, so that it can be differentiated again.
struct TraceableFunction : Node {
  using Node::Node;
  bool is_traceable() final { return true; }
};

/// Edges to what made these tensors; an invalid one for a tensor that wants no gradient or is not there.
template <typename... Variables>
edge_list collect_next_edges(const Variables&... variables);

}  // namespace tensorlib::autograd
