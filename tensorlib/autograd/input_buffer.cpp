#include "autograd/input_buffer.h"

#include "core/LocalDispatchKeySet.h"
#include "ops/Functions.h"

namespace tensorlib::autograd {

namespace {

/// Whether nobody else can see what is written to it.
bool can_accumulate_inplace(const Tensor& tensor) {
  return tensor.impl()->use_count() == 1 && tensor.impl()->storage()->use_count() == 1 && tensor.impl()->is_non_overlapping_and_dense();
}

}  // namespace

void InputBuffer::add(std::size_t position, Tensor&& gradient) {
  if (!gradient.defined()) return;
  Tensor& sum = buffer_[position];
  if (!sum.defined()) {
    sum = std::move(gradient);
  } else if (!GradMode::is_enabled() && can_accumulate_inplace(sum)) {
    at::add_(sum, gradient);
  } else {
    sum = at::add(sum, gradient);
  }
}

}  // namespace tensorlib::autograd
