// An edge of the graph of gradients: which input of which function a gradient goes to.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

namespace tensorlib::autograd {

struct Node;

struct Edge {
  Edge() = default;
  Edge(std::shared_ptr<Node> function, std::uint32_t input_nr) : function(std::move(function)), input_nr(input_nr) {}

  /// False where no gradient is wanted.
  bool is_valid() const { return function != nullptr; }
  bool operator==(const Edge&) const = default;

  std::shared_ptr<Node> function;
  std::uint32_t input_nr = 0;
};

}  // namespace tensorlib::autograd
