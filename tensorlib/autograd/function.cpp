#include "autograd/function.h"

#include <algorithm>

#include "autograd/graph_task.h"

namespace tensorlib::autograd {

namespace {

thread_local std::uint64_t next_sequence_nr = 0;
thread_local std::shared_ptr<Node> current_node;
thread_local std::vector<std::shared_ptr<Node>>* unwanted_nodes = nullptr;

bool anomaly_enabled = false;
bool anomaly_checks_nan = true;

class CurrentNode {
 public:
  explicit CurrentNode(std::shared_ptr<Node> node) : previous_(std::exchange(current_node, std::move(node))) {}
  ~CurrentNode() { current_node = std::move(previous_); }
  CurrentNode(const CurrentNode&) = delete;
  CurrentNode& operator=(const CurrentNode&) = delete;

 private:
  std::shared_ptr<Node> previous_;
};

std::unique_ptr<AnomalyMetadata> make_anomaly_metadata() {
  return anomaly_enabled && AnomalyMode::factory ? AnomalyMode::factory() : nullptr;
}

}  // namespace

AnomalyMode::Factory AnomalyMode::factory = nullptr;
bool AnomalyMode::is_enabled() { return anomaly_enabled; }
bool AnomalyMode::should_check_nan() { return anomaly_checks_nan; }
void AnomalyMode::set_enabled(bool enabled, bool check_nan) {
  anomaly_enabled = enabled;
  anomaly_checks_nan = check_nan;
}

std::shared_ptr<Node> get_current_node() { return current_node; }

Node::Node(edge_list&& next_edges)
    : next_edges_(std::move(next_edges)), sequence_nr_(next_sequence_nr++), anomaly_metadata_(make_anomaly_metadata()) {}

Node::Node(std::uint64_t sequence_nr) : sequence_nr_(sequence_nr) {}

Node::~Node() {
  if (unwanted_nodes) {
    for (Edge& edge : next_edges_) unwanted_nodes->push_back(std::move(edge.function));
    return;
  }
  std::vector<std::shared_ptr<Node>> unwanted;
  for (Edge& edge : next_edges_) {
    if (edge.function.use_count() == 1) unwanted.push_back(std::move(edge.function));
  }
  if (unwanted.empty()) return;
  unwanted_nodes = &unwanted;
  while (!unwanted.empty()) {
    const std::shared_ptr<Node> last = std::move(unwanted.back());
    unwanted.pop_back();
  }
  unwanted_nodes = nullptr;
}

variable_list Node::operator()(variable_list&& inputs) {
  const std::shared_ptr<Node> self = shared_from_this();
  const CurrentNode guard(self);
  return apply(std::move(inputs));
}

bool Node::task_should_compute_output(std::size_t index) const {
  const Edge& next = next_edges_[index];
  if (!next.is_valid()) return false;
  const GraphTask* task = GraphTask::current();
  return !task || task->should_execute(next.function.get());
}

bool Node::task_should_compute_output(std::initializer_list<std::pair<std::size_t, std::size_t>> ranges) const {
  return std::any_of(ranges.begin(), ranges.end(), [this](const auto& range) {
    for (std::size_t i = range.first; i < range.second; ++i) {
      if (task_should_compute_output(i)) return true;
    }
    return false;
  });
}

}  // namespace tensorlib::autograd
