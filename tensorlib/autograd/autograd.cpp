#include "autograd/autograd.h"

#include <algorithm>

#include "autograd/engine.h"
#include "autograd/variable.h"
#include "core/Exception.h"
#include "ops/Functions.h"

namespace tensorlib::autograd {

namespace {

std::string size_text(IntArrayRef sizes) { return "tensorlib.Size(" + toString(sizes) + ")"; }

Tensor grad_for(const Tensor& output, const Tensor& given, std::size_t index) {
  if (given.defined()) {
    if (!std::ranges::equal(given.sizes(), output.sizes())) {
      const std::string at = "[" + std::to_string(index) + "]";
      raise("Mismatch in shape: grad_output" + at + " has a shape of " + size_text(given.sizes()) + " and output" + at +
            " has a shape of " + size_text(output.sizes()) + ".");
    }
    return given;
  }
  if (!output.requires_grad()) return given;
  if (output.numel() != 1) raise("grad can be implicitly created only for scalar outputs");
  return at::ones_like(output);
}

variable_list make_grads(const variable_list& outputs, const variable_list& given) {
  if (!given.empty() && given.size() != outputs.size()) {
    raise("got " + std::to_string(outputs.size()) + " tensors and " + std::to_string(given.size()) + " gradients");
  }
  variable_list grads;
  for (std::size_t i = 0; i < outputs.size(); ++i) grads.push_back(grad_for(outputs[i], given.empty() ? Tensor() : given[i], i));
  return grads;
}

edge_list root_edges(const variable_list& tensors) {
  edge_list roots;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    Edge edge = make_edge(tensors[i]);
    if (!edge.is_valid()) raise("element " + std::to_string(i) + " of tensors does not require grad and does not have a grad_fn");
    roots.push_back(std::move(edge));
  }
  return roots;
}

/// Edges to what gradients are wanted for. A leaf that no graph holds gets an edge that leads nowhere.
edge_list output_edges(const variable_list& inputs) {
  edge_list edges;
  for (const Tensor& input : inputs) {
    if (!input.requires_grad()) raise("One of the differentiated Tensors does not require grad");
    edges.push_back(make_edge(input));
  }
  return edges;
}

/// A computed tensor among backward(inputs=...) keeps its gradient as a leaf does.
void retain_grads(const variable_list& inputs) {
  for (const Tensor& input : inputs) {
    if (!input.requires_grad()) raise("One of the differentiated Tensors does not require grad");
    impl::retain_grad(input);
  }
}

}  // namespace

void backward(const variable_list& tensors, const variable_list& grad_tensors, std::optional<bool> retain_graph, bool create_graph,
              const variable_list& inputs) {
  const variable_list grads = make_grads(tensors, grad_tensors);
  retain_grads(inputs);
  const bool keep_graph = retain_graph.value_or(create_graph);
  Engine::get_default_engine().execute(root_edges(tensors), grads, keep_graph, create_graph, /*accumulate_grad=*/true,
                                       output_edges(inputs));
}

variable_list grad(const variable_list& outputs, const variable_list& inputs, const variable_list& grad_outputs,
                   std::optional<bool> retain_graph, bool create_graph, bool allow_unused) {
  const variable_list grads = make_grads(outputs, grad_outputs);
  const bool keep_graph = retain_graph.value_or(create_graph);
  variable_list result = Engine::get_default_engine().execute(root_edges(outputs), grads, keep_graph, create_graph,
                                                              /*accumulate_grad=*/false, output_edges(inputs));
  for (const Tensor& gradient : result) {
    if (!gradient.defined() && !allow_unused) {
      raise(
          "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if this is the desired "
          "behavior.");
    }
  }
  return result;
}

}  // namespace tensorlib::autograd
