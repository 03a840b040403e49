// Tensors put together, and repeated.
#pragma once

#include "native/TensorShape.h"

namespace tensorlib::native {

/// The tensors one after the other along a dimension, in their common type. Tensors of shape [0] count for nothing.
Tensor cat(TensorList tensors, std::int64_t dim);
Tensor& cat_out(TensorList tensors, std::int64_t dim, Tensor& out);
/// Tensors of one shape along a new dimension.
Tensor stack(TensorList tensors, std::int64_t dim);
Tensor& stack_out(TensorList tensors, std::int64_t dim, Tensor& out);
/// self again and again: repeats[d] times along dimension d; more repeats than dimensions add some in front.
Tensor repeat(const Tensor& self, IntArrayRef repeats);
/// A copy in which the named dimensions run backwards.
Tensor flip(const Tensor& self, IntArrayRef dims);

}  // namespace tensorlib::native
