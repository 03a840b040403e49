// Formulas of matrix products and losses.
#include "autograd/FunctionsManual.h"
#include "autograd/operators.h"

namespace tensorlib::autograd::generated::details {

using namespace at;

namespace {

/// Whether a matrix lies column by column; its gradient is then made to lie so too.
bool is_column_major(IntArrayRef sizes, IntArrayRef strides) { return strides[0] == 1 && strides[1] == sizes[0] && sizes[0] != 1; }

}  // namespace

Tensor mm_mat1_backward(const Tensor& grad, const Tensor& mat2, IntArrayRef mat1_sizes, IntArrayRef mat1_strides, const Scalar& alpha) {
  if (is_column_major(mat1_sizes, mat1_strides)) return maybe_multiply(t(mm(mat2, t(grad))), alpha);
  return maybe_multiply(mm(grad, t(mat2)), alpha);
}

Tensor mm_mat2_backward(const Tensor& grad, const Tensor& mat1, IntArrayRef mat2_sizes, IntArrayRef mat2_strides, const Scalar& alpha) {
  if (is_column_major(mat2_sizes, mat2_strides)) return maybe_multiply(t(mm(t(grad), mat1)), alpha);
  return maybe_multiply(mm(t(mat1), grad), alpha);
}

namespace {

constexpr std::int64_t reduction_none = 0, reduction_mean = 1;

}  // namespace

Tensor mse_loss_double_backward_grad_output(const Tensor& grad, const Tensor&, const Tensor& input, const Tensor& target,
                                            std::int64_t reduction) {
  const Tensor slope = (input - target) * Scalar(2) * grad;
  if (reduction == reduction_none) return slope;
  return reduction == reduction_mean ? mean(slope) : sum(slope);
}

Tensor mse_loss_double_backward(const Tensor& grad, const Tensor& grad_output, const Tensor& input, std::int64_t reduction) {
  const Tensor slope = grad * Scalar(2) * grad_output;
  return reduction == reduction_mean ? slope / Scalar(input.numel()) : slope;
}

}  // namespace tensorlib::autograd::generated::details
