// Views: the same storage under other sizes and strides. No element is touched.
#pragma once

#include <cstdint>

#include "core/Tensor.h"

namespace tensorlib::native {

/// self again, as another tensor.
Tensor alias(const Tensor& self);
/// self at `index` of dimension `dim`, that dimension gone; a negative index counts from the end. Raises IndexError outside.
Tensor select(const Tensor& self, std::int64_t dim, std::int64_t index);
/// Elements start, start + step, ... below end of a dimension; start and end are within [0, size] already, step is positive.
Tensor slice(const Tensor& self, std::int64_t dim, std::int64_t start, std::int64_t end, std::int64_t step);
/// A dimension of size 1 before dimension `dim`, which may be negative. Raises IndexError outside [-dim-1, dim].
Tensor unsqueeze(const Tensor& self, std::int64_t dim);
/// `sizes` by repeating dimensions of size 1 (stride 0) and adding dimensions in front; -1 keeps a size.
Tensor expand(const Tensor& self, IntArrayRef sizes);
/// Dimensions in another order.
Tensor permute(const Tensor& self, IntArrayRef order);

/// Dimension `dim` of `ndim`, negative ones counted from the end; raises IndexError outside. A 0-dim tensor counts as having one.
std::int64_t wrap_dim(std::int64_t dim, std::int64_t ndim);

}  // namespace tensorlib::native
