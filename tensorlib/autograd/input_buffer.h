// The gradients that a node waits for, added up as they come.
#pragma once

#include "autograd/function_hook.h"

namespace tensorlib::autograd {

class InputBuffer {
 public:
  explicit InputBuffer(std::size_t size) : buffer_(size) {}
  explicit InputBuffer(variable_list&& inputs) : buffer_(std::move(inputs)) {}

  void add(std::size_t position, Tensor&& gradient);
  const Tensor& operator[](std::size_t position) const { return buffer_[position]; }
  static variable_list variables(InputBuffer&& buffer) { return std::move(buffer.buffer_); }

 private:
  variable_list buffer_;
};

}  // namespace tensorlib::autograd
