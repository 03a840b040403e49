#include "autograd/engine.h"

#include "autograd/functions/accumulate_grad.h"
#include "autograd/functions/basic_ops.h"
#include "autograd/grad_mode.h"
#include "core/Exception.h"
#include "ops/Functions.h"

namespace tensorlib::autograd {

Engine& Engine::get_default_engine() {
  static Engine engine;
  return engine;
}

namespace {

variable_list call_tensor_pre_hooks(Node& fn, variable_list inputs) {
  for (const auto& hook : fn.tensor_pre_hooks()) inputs = (*hook)(inputs);
  return inputs;
}

variable_list call_pre_hooks(Node& fn, variable_list inputs) {
  for (const auto& hook : fn.pre_hooks()) inputs = (*hook)(inputs);
  for (const auto& [index, hook] : fn.retains_grad_hooks()) inputs = (*hook)(inputs);
  return inputs;
}

variable_list call_post_hooks(Node& fn, variable_list outputs, const variable_list& inputs) {
  for (const auto& hook : fn.post_hooks()) outputs = (*hook)(outputs, inputs);
  return outputs;
}

void check_for_nan(const Node& fn, const variable_list& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].defined() && at::item(at::any(at::ne(outputs[i], outputs[i]))).toBool()) {
      raise("Function '" + fn.name() + "' returned nan values in its " + std::to_string(i) + "th output.");
    }
  }
}

variable_list call_function(const GraphTask& task, Node& fn, variable_list&& inputs) {
  // Hooks after the node see what entered it; without them the node may use its inputs up.
  const bool keep_inputs = !fn.post_hooks().empty();
  variable_list outputs = keep_inputs ? fn(variable_list(inputs)) : fn(std::move(inputs));
  if (!task.keep_graph_) fn.release_variables();
  validate_outputs(fn.next_edges(), outputs, fn.name());
  if (keep_inputs) outputs = call_post_hooks(fn, std::move(outputs), inputs);
  if (PostAccumulateGradHook* hook = fn.post_accumulate_grad_hook()) (*hook)(static_cast<AccumulateGrad&>(fn).variable);
  if (AnomalyMode::is_enabled() && AnomalyMode::should_check_nan()) check_for_nan(fn, outputs);
  return outputs;
}

}  // namespace

void Engine::evaluate_function(GraphTask& task, NodeTask&& ready) {
  Node& fn = *ready.fn;
  variable_list inputs = call_tensor_pre_hooks(fn, InputBuffer::variables(std::move(ready.inputs)));
  if (!task.exec_info_.empty()) {
    const GraphTask::ExecInfo& info = task.exec_info_.at(&fn);
    for (const auto& capture : info.captures) task.captured_vars_[capture.output_idx] = inputs[capture.input_idx];
    if (!info.needed) return;
  }
  try {
    send(task, fn, call_function(task, fn, call_pre_hooks(fn, std::move(inputs))));
  } catch (...) {
    if (AnomalyMetadata* made = fn.anomaly_metadata()) made->print_stack(fn.name());
    throw;
  }
}

void Engine::send(GraphTask& task, Node& from, variable_list&& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Edge& next = from.next_edge(i);
    if (!next.is_valid() || !task.should_execute(next.function.get())) continue;
    auto [waiting, fresh] = task.not_ready_.try_emplace(next.function.get(), next.function->num_inputs());
    waiting->second.add(next.input_nr, std::move(outputs[i]));
    const auto dependencies = task.dependencies_.find(next.function.get());
    if (--dependencies->second > 0) continue;
    task.ready_queue_.push(next.function, std::move(waiting->second));
    task.not_ready_.erase(waiting);
    task.dependencies_.erase(dependencies);
  }
}

void Engine::execute_until_done(GraphTask& task) {
  while (!task.ready_queue_.empty()) evaluate_function(task, task.ready_queue_.pop());
  // Callbacks may queue more.
  for (std::size_t i = 0; i < task.final_callbacks_.size(); ++i) std::function<void()>(task.final_callbacks_[i])();
}

variable_list Engine::execute(const edge_list& roots, const variable_list& inputs, bool keep_graph, bool create_graph, bool accumulate_grad,
                              const edge_list& outputs) {
  const auto root = std::make_shared<GraphRoot>(roots, inputs);
  GraphTask task(keep_graph);
  task.compute_dependencies(*root);
  if (!outputs.empty()) task.init_to_execute(*root, outputs, accumulate_grad);
  const AutoGradMode mode(create_graph);
  task.ready_queue_.push(root, InputBuffer(variable_list()));
  execute_until_done(task);
  return std::move(task.captured_vars_);
}

void Engine::queue_callback(std::function<void()> callback) {
  GraphTask* task = GraphTask::current();
  if (!task) raise("Final callbacks can only be installed during backward pass.");
  task->final_callbacks_.push_back(std::move(callback));
}

}  // namespace tensorlib::autograd
