// A tensor that a node keeps for backward, and the check that nobody wrote to it meanwhile.
#pragma once

#include <memory>
#include <optional>

#include "core/Tensor.h"

namespace tensorlib::autograd {

struct Node;

/// What a node says whose saved tensors are gone.
extern const char* const ERR_BACKWARD_TWICE;

class SavedVariable {
 public:
  SavedVariable() = default;
  /// `is_output`: a result of the node that saves it, kept without its history, which would lead back to the node itself.
  /// `is_inplace_on_view`: that node's own input, rewritten; its history is found again through a weak reference.
  SavedVariable(const Tensor& variable, bool is_output, bool is_inplace_on_view = false);
  SavedVariable(const std::optional<Tensor>& variable, bool is_output) : SavedVariable(variable ? *variable : Tensor(), is_output) {}

  /// The tensor as it was saved; undefined if none was given. Raises Error when it was released or written to since.
  /// `saved_for` is the node that it is an output of.
  Tensor unpack(const std::shared_ptr<Node>& saved_for = nullptr) const;
  void reset_data() { data_ = Tensor(); }
  bool was_default_constructed() const { return was_default_constructed_; }

 private:
  std::shared_ptr<Node> grad_fn(const std::shared_ptr<Node>& saved_for) const;
  void check_version(const std::shared_ptr<Node>& grad_fn) const;

  Tensor data_;
  std::weak_ptr<Node> weak_grad_fn_;
  std::uint32_t saved_version_ = 0;
  std::uint32_t output_nr_ = 0;
  bool was_default_constructed_ = true;
  bool is_inplace_on_view_ = false;
  bool saved_original_ = false;
  bool is_leaf_ = false;
  bool requires_grad_ = false;
};

}  // namespace tensorlib::autograd
