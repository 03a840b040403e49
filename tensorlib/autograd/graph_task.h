// One backward in progress: what it still has to do and what it was asked for.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "autograd/function.h"
#include "autograd/input_buffer.h"

namespace tensorlib::autograd {

/// A node whose gradients are all there.
struct NodeTask {
  std::shared_ptr<Node> fn;
  InputBuffer inputs;
  std::uint64_t order;  ///< in which it became ready: decides between nodes with the same sequence number
};

/// Later nodes of forward first.
class ReadyQueue {
 public:
  void push(std::shared_ptr<Node> fn, InputBuffer inputs) { push_heap({std::move(fn), std::move(inputs), next_order_++}); }
  NodeTask pop();
  bool empty() const { return heap_.empty(); }

 private:
  void push_heap(NodeTask task);
  std::vector<NodeTask> heap_;
  std::uint64_t next_order_ = 0;
};

class GraphTask {
 public:
  /// What is wanted of a node when only some gradients were asked for.
  struct ExecInfo {
    struct Capture {
      std::uint32_t input_idx;  ///< of the node's inputs
      std::size_t output_idx;   ///< of the answer
    };
    bool needed = false;
    std::vector<Capture> captures;
    bool should_execute() const { return needed || !captures.empty(); }
  };

  explicit GraphTask(bool keep_graph) : keep_graph_(keep_graph), outer_(current_) { current_ = this; }
  ~GraphTask() { current_ = outer_; }
  GraphTask(const GraphTask&) = delete;
  GraphTask& operator=(const GraphTask&) = delete;

  /// The innermost one of this thread; null outside of backward.
  static GraphTask* current() { return current_; }
  bool should_execute(const Node* node) const;

  /// Counts, for every node that can be reached, how many gradients it waits for.
  void compute_dependencies(Node& root);
  /// Marks what lies between the root and `outputs`.
  void init_to_execute(Node& root, const edge_list& outputs, bool accumulate_grad);

  const bool keep_graph_;
  ReadyQueue ready_queue_;
  std::unordered_map<Node*, int> dependencies_;
  std::unordered_map<Node*, InputBuffer> not_ready_;
  std::unordered_map<const Node*, ExecInfo> exec_info_;  ///< empty: everything is wanted
  variable_list captured_vars_;
  std::vector<std::function<void()>> final_callbacks_;

 private:
  void mark_needed(Node& root);

  GraphTask* outer_;
  static thread_local constinit GraphTask* current_;
};

}  // namespace tensorlib::autograd
