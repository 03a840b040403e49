#include "autograd/graph_task.h"

#include <algorithm>

namespace tensorlib::autograd {

thread_local constinit GraphTask* GraphTask::current_ = nullptr;

namespace {

/// The heap's order: whether `a` comes after `b`.
bool comes_after(const NodeTask& a, const NodeTask& b) {
  if (a.fn->sequence_nr() != b.fn->sequence_nr()) return a.fn->sequence_nr() < b.fn->sequence_nr();
  return a.order > b.order;
}

}  // namespace

void ReadyQueue::push_heap(NodeTask task) {
  heap_.push_back(std::move(task));
  std::push_heap(heap_.begin(), heap_.end(), comes_after);
}

NodeTask ReadyQueue::pop() {
  std::pop_heap(heap_.begin(), heap_.end(), comes_after);
  NodeTask task = std::move(heap_.back());
  heap_.pop_back();
  return task;
}

bool GraphTask::should_execute(const Node* node) const {
  if (exec_info_.empty()) return true;
  const auto info = exec_info_.find(node);
  return info != exec_info_.end() && info->second.should_execute();
}

void GraphTask::compute_dependencies(Node& root) {
  std::unordered_set<Node*> seen;
  std::vector<Node*> queue{&root};
  while (!queue.empty()) {
    Node* fn = queue.back();
    queue.pop_back();
    for (const Edge& edge : fn->next_edges()) {
      Node* next = edge.function.get();
      if (!next) continue;
      ++dependencies_[next];
      if (seen.insert(next).second) queue.push_back(next);
    }
  }
}

void GraphTask::init_to_execute(Node& root, const edge_list& outputs, bool accumulate_grad) {
  exec_info_[&root].needed = true;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    ExecInfo& info = exec_info_[outputs[i].function.get()];
    if (accumulate_grad) {
      info.needed = true;  // backward(inputs=...): the leaf's own node runs
    } else {
      info.captures.push_back({outputs[i].input_nr, i});
    }
  }
  captured_vars_.resize(accumulate_grad ? 0 : outputs.size());
  mark_needed(root);
}

// Depth first without recursion, since graphs are as deep as programs are long: a node is needed when one behind it is.
void GraphTask::mark_needed(Node& root) {
  struct Frame {
    Node* fn;
    std::size_t next = 0;
  };
  std::unordered_set<const Node*> seen{&root};
  std::vector<Frame> stack{{&root}};
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next < frame.fn->num_outputs()) {
      Node* next = frame.fn->next_edge(frame.next++).function.get();
      if (next && seen.insert(next).second) stack.push_back({next});
      continue;
    }
    const Node* fn = frame.fn;
    stack.pop_back();
    const bool needed = std::any_of(fn->next_edges().begin(), fn->next_edges().end(), [this](const Edge& edge) {
      const auto info = exec_info_.find(edge.function.get());
      return info != exec_info_.end() && info->second.should_execute();
    });
    if (needed) exec_info_[fn].needed = true;
  }
}

}  // namespace tensorlib::autograd
