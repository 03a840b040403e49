// Elements chosen by tensors: of positions, of truth values.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/ArgumentTypes.h"

namespace tensorlib::native {

/// An index per dimension, from the first; an undefined tensor takes the whole dimension. A mask (bool or uint8) stands for as many
/// dimensions as it has.
using IndexList = OptionalTensorList;

/// A copy of the elements that the indices, broadcast together, name. Raises IndexError, before anything is read, on an index outside.
Tensor index(const Tensor& self, IndexList indices);
/// self[indices] = values, or += with accumulate. Of several values for one place the last one stays.
Tensor& index_put_(Tensor& self, IndexList indices, const Tensor& values, bool accumulate);

/// Whole slices of a dimension, in the order of `index` (one dimension, int64 or int32).
Tensor index_select(const Tensor& self, std::int64_t dim, const Tensor& index);
/// self with source's slice i added at index[i] of a dimension, times alpha.
Tensor index_add(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha);
/// result[i][j] = self[index[i][j]][j] for dim 0, and so on.
Tensor gather(const Tensor& self, std::int64_t dim, const Tensor& index, bool sparse_grad);
/// self with self[index[i][j]][j] += src[i][j] for dim 0, and so on.
Tensor scatter_add(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src);

/// The positions of elements that are not zero, a row each, in row-major order.
Tensor nonzero(const Tensor& self);
/// The same, a tensor per dimension.
std::vector<Tensor> nonzero_numpy(const Tensor& self);

/// Elements of self where condition is true, of other where it is false; all three broadcast, the two promote.
Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other);
/// Writes value where mask, which broadcasts to self, is true.
Tensor& masked_fill_(Tensor& self, const Tensor& mask, const Scalar& value);
Tensor& masked_fill_(Tensor& self, const Tensor& mask, const Tensor& value);
Tensor masked_fill(const Tensor& self, const Tensor& mask, const Scalar& value);
Tensor masked_fill(const Tensor& self, const Tensor& mask, const Tensor& value);
/// The elements where mask is true, in row-major order, as one dimension.
Tensor masked_select(const Tensor& self, const Tensor& mask);

}  // namespace tensorlib::native
