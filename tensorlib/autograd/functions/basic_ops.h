// Nodes that belong to no operator.
#pragma once

#include <utility>

#include "autograd/function.h"

namespace tensorlib::autograd {

/// Where backward starts: hands out the gradients it was given.
struct GraphRoot : Node {
  GraphRoot(edge_list functions, variable_list inputs) : Node(std::move(functions)), outputs(std::move(inputs)) {}
  std::string name() const override { return "GraphRoot"; }
  variable_list outputs;

 protected:
  variable_list apply(variable_list&&) override { return std::move(outputs); }
};

/// Raises its message when backward gets to it: behind an operation that cannot be differentiated.
struct Error : Node {
  explicit Error(std::string message) : message_(std::move(message)) {}
  std::string name() const override { return "Error"; }

 protected:
  variable_list apply(variable_list&&) override;

 private:
  std::string message_;
};

/// The same for an operator without a formula, named after it.
struct NotImplemented : Error {
  explicit NotImplemented(const std::string& forward) : Error("derivative for " + forward + " is not implemented") {}
  std::string name() const override { return "NotImplemented"; }
};

}  // namespace tensorlib::autograd
