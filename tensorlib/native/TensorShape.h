// Views: the same storage under other sizes and strides. No element is touched.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ArgumentTypes.h"

namespace tensorlib::native {

/// self again, as another tensor.
Tensor alias(const Tensor& self);
/// Any sizes and strides that stay inside the storage; raises Error on others and on negative strides.
Tensor as_strided(const Tensor& self, IntArrayRef size, IntArrayRef stride, std::optional<std::int64_t> storage_offset);
/// self at `index` of dimension `dim`, that dimension gone; a negative index counts from the end. Raises IndexError outside.
Tensor select(const Tensor& self, std::int64_t dim, std::int64_t index);
/// Elements start, start + step, ... below end of a dimension, as Python slices; step is positive.
Tensor slice(const Tensor& self, std::int64_t dim, std::optional<std::int64_t> start, std::optional<std::int64_t> end, std::int64_t step);
/// `length` elements of a dimension from `start` on; raises Error where they are not there.
Tensor narrow(const Tensor& self, std::int64_t dim, std::int64_t start, std::int64_t length);
/// A dimension of size 1 before dimension `dim`, which may be negative. Raises IndexError outside [-dim-1, dim].
Tensor unsqueeze(const Tensor& self, std::int64_t dim);
/// Without dimensions of size 1: all of them, or those named.
Tensor squeeze(const Tensor& self);
Tensor squeeze(const Tensor& self, std::int64_t dim);
Tensor squeeze(const Tensor& self, IntArrayRef dim);
/// `size` by repeating dimensions of size 1 (stride 0) and adding dimensions in front; -1 keeps a size.
Tensor expand(const Tensor& self, IntArrayRef size, bool implicit = false);
/// Dimensions in another order.
Tensor permute(const Tensor& self, IntArrayRef dims);
Tensor transpose(const Tensor& self, std::int64_t dim0, std::int64_t dim1);
/// The two dimensions of a matrix swapped; a vector or 0-dim tensor as it is.
Tensor t(const Tensor& self);
/// The elements in row-major order under other sizes; one size may be -1. Raises Error where strides do not allow it without a copy.
Tensor view(const Tensor& self, IntArrayRef size);
/// view() where that is possible.
std::optional<DimVector> compute_view_strides(const Tensor& self, IntArrayRef size);
/// Sizes for `numel` elements with -1 worked out; raises Error where there are none.
DimVector infer_view_size(IntArrayRef size, std::int64_t numel);
/// The sizes of self with dimensions start_dim to end_dim made one.
DimVector flattened_sizes(const Tensor& self, std::int64_t start_dim, std::int64_t end_dim);
/// One view per position of a dimension.
std::vector<Tensor> unbind(const Tensor& self, std::int64_t dim);
/// Pieces of split_size along a dimension, the last one shorter; or of the sizes given.
std::vector<Tensor> split(const Tensor& self, std::int64_t split_size, std::int64_t dim);
std::vector<Tensor> split_with_sizes(const Tensor& self, IntArrayRef split_sizes, std::int64_t dim);
/// At most `chunks` pieces of one size, the last one shorter.
std::vector<Tensor> chunk(const Tensor& self, std::int64_t chunks, std::int64_t dim);
/// The elements whose positions in two dimensions differ by `offset`, as the last dimension.
Tensor diagonal(const Tensor& self, std::int64_t offset, std::int64_t dim1, std::int64_t dim2);

/// Dimension `dim` of `ndim`, negative ones counted from the end; raises IndexError outside. A 0-dim tensor counts as having one.
std::int64_t wrap_dim(std::int64_t dim, std::int64_t ndim);

}  // namespace tensorlib::native
