// Runs a graph of gradients backwards.
//
// Serial: all work is done on the thread that asks, in an order that depends on the graph alone, so results have the same bits every time.
// A hook or a node may start a backward of its own; it runs to its end inside.
#pragma once

#include "autograd/graph_task.h"

namespace tensorlib::autograd {

class Engine {
 public:
  static Engine& get_default_engine();

  /// Backward from `roots`, whose gradients are `inputs`. With `outputs`, only what leads to them: returned, unless
  /// `accumulate_grad`, which adds them to the leaves' .grad. Saved tensors are released unless `keep_graph`.
  variable_list execute(const edge_list& roots, const variable_list& inputs, bool keep_graph, bool create_graph, bool accumulate_grad,
                        const edge_list& outputs = {});

  /// Runs `callback` at the end of the backward that is going on.
  void queue_callback(std::function<void()> callback);

 private:
  void execute_until_done(GraphTask& task);
  void evaluate_function(GraphTask& task, NodeTask&& ready);
  void send(GraphTask& task, Node& from, variable_list&& outputs);
};

/// Checks and mends the gradients that a node returned, in place: undefined is fine, a broadcast one is summed to the shape of the
/// tensor that it is for, another type is converted; anything else raises Error, which names the node.
void validate_outputs(const edge_list& edges, variable_list& grads, const std::string& node_name);

}  // namespace tensorlib::autograd
