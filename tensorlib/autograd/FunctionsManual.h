// The derivative formulas that are more than an expression: what the `derivatives` fields of ops/functions/*.toml call.
//
// They call operators through the dispatcher, so that with create_graph they are differentiated in turn. Names and meaning are PyTorch's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autograd/function.h"
#include "autograd/functions/copy_slices.h"
#include "core/Scalar.h"
#include "core/Tensor.h"
#include "ops/Functions.h"

namespace tensorlib::autograd::generated::details {

inline bool any_variable_defined(const variable_list& variables) {
  for (const Tensor& variable : variables) {
    if (variable.defined()) return true;
  }
  return false;
}

/// Puts the gradients of a list of tensors in their places.
inline void copy_range(variable_list& grads, std::size_t at, variable_list values) {
  for (std::size_t i = 0; i < values.size(); ++i) grads[at + i] = std::move(values[i]);
}

// Elementwise.
Tensor maybe_multiply(const Tensor& t, const Scalar& s);
Tensor mul_tensor_backward(const Tensor& grad, const Tensor& other, ScalarType self_st);
Tensor div_tensor_self_backward(const Tensor& grad, const Tensor& other, ScalarType self_st);
Tensor div_tensor_other_backward(const Tensor& grad, const Tensor& self, const Tensor& other);
Tensor div_tensor_self_backward(const Tensor& grad, const Tensor& other, ScalarType self_st,
                                const std::optional<std::string>& rounding_mode);
Tensor div_tensor_other_backward(const Tensor& grad, const Tensor& self, const Tensor& other,
                                 const std::optional<std::string>& rounding_mode);
/// Of maximum or minimum for one operand: where both are equal half of it, where the other wins nothing.
Tensor extreme_backward(const Tensor& grad, const Tensor& equal, const Tensor& loses);
Tensor pow_backward(const Tensor& grad, const Tensor& self, const Scalar& exponent);
Tensor pow_backward_self(const Tensor& grad, const Tensor& self, const Tensor& exponent);
Tensor pow_backward_exponent(const Tensor& grad, const Tensor& self, const Tensor& exponent, const Tensor& result);
Tensor pow_backward_exponent(const Tensor& grad, const Scalar& base, const Tensor& exponent, const Tensor& result);
Tensor clamp_backward(const Tensor& grad, const Tensor& self, const std::optional<Scalar>& min, const std::optional<Scalar>& max);
Tensor masked_fill_backward(const Tensor& grad, const Tensor& mask);

// Reductions.
Tensor restore_reduced_dims(const Tensor& output, IntArrayRef dims, bool keepdim);
Tensor sum_backward(const Tensor& grad, IntArrayRef sizes, const std::optional<IntArrayRef>& dims, bool keepdim);
Tensor mean_backward(const Tensor& grad, IntArrayRef sizes, const std::optional<IntArrayRef>& dims, std::int64_t n, bool keepdim);
Tensor var_backward(const Tensor& grad, const Tensor& self, const std::optional<IntArrayRef>& dims, std::optional<std::int64_t> correction,
                    bool keepdim);
Tensor std_backward(const Tensor& result, const Tensor& grad, const Tensor& self, const std::optional<IntArrayRef>& dims,
                    std::optional<std::int64_t> correction, bool keepdim);
Tensor prod_backward(const Tensor& grad, const Tensor& self, const Tensor& result);
Tensor prod_backward(const Tensor& grad, const Tensor& self, const Tensor& result, std::int64_t dim, bool keepdim);
Tensor evenly_distribute_backward(const Tensor& grad, const Tensor& input, const Tensor& value);
Tensor scale_grad_by_count(const Tensor& grad, const Tensor& mask, IntArrayRef dims);
Tensor value_selecting_reduction_backward(const Tensor& grad, std::int64_t dim, const Tensor& indices, IntArrayRef sizes, bool keepdim);

// Shapes and indexing.
/// The gradient of a broadcast: summed to the sizes that there were before.
Tensor sum_to(const Tensor& grad, IntArrayRef sizes);
Tensor permute_backwards(const Tensor& grad, IntArrayRef dims);
Tensor unsqueeze_to(const Tensor& grad, IntArrayRef sizes);
Tensor unsqueeze_to(const Tensor& grad, std::int64_t dim, IntArrayRef sizes);
Tensor as_strided_backward(const Tensor& grad, const TensorGeometry& input, IntArrayRef sizes, IntArrayRef strides,
                           std::optional<std::int64_t> storage_offset);
Tensor slice_backward_wrapper(const Tensor& grad, IntArrayRef sizes, std::int64_t dim, std::optional<std::int64_t> start,
                              std::optional<std::int64_t> end, std::int64_t step);
variable_list cat_tensors_backward(const Tensor& grad, const std::vector<DimVector>& sizes, const std::vector<ScalarType>& dtypes,
                                   std::int64_t dim);
variable_list stack_tensors_backward(const Tensor& grad, std::int64_t dim, const std::vector<ScalarType>& dtypes);
Tensor unbind_backward(const variable_list& grads, std::int64_t dim, IntArrayRef sizes, ScalarType dtype);
Tensor split_backward(const variable_list& grads, std::int64_t split_size, std::int64_t dim, IntArrayRef sizes, ScalarType dtype);
Tensor take_backward(const Tensor& grad, IntArrayRef sizes, const Tensor& index);

// Matrices.
Tensor mm_mat1_backward(const Tensor& grad, const Tensor& mat2, IntArrayRef mat1_sizes, IntArrayRef mat1_strides, const Scalar& alpha);
Tensor mm_mat2_backward(const Tensor& grad, const Tensor& mat1, IntArrayRef mat2_sizes, IntArrayRef mat2_strides, const Scalar& alpha);

// Losses.
Tensor mse_loss_double_backward_grad_output(const Tensor& grad, const Tensor& grad_output, const Tensor& input, const Tensor& target,
                                            std::int64_t reduction);
Tensor mse_loss_double_backward(const Tensor& grad, const Tensor& grad_output, const Tensor& input, std::int64_t reduction);

}  // namespace tensorlib::autograd::generated::details
