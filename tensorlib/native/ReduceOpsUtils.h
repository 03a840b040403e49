// Which dimensions are reduced, and outputs as an iterator over a reduction wants them.
#pragma once

#include <cstdint>

#include "core/ArgumentTypes.h"

namespace tensorlib::native {

/// A bit a dimension; all of them where `dims` is absent or empty. Raises IndexError for one out of range and Error for one given twice.
std::uint64_t make_dim_mask(OptionalIntArrayRef dims, std::int64_t ndim);
/// self's sizes without the reduced dimensions, or with 1 in their place.
DimVector reduced_sizes(const Tensor& self, std::uint64_t mask, bool keepdim);
/// `result`, which has reduced_sizes, seen with all of self's dimensions: stride 0 along the reduced ones.
Tensor view_reduce_result(const Tensor& result, const Tensor& self, std::uint64_t mask, bool keepdim);
/// How many elements go into one.
std::int64_t reduced_count(const Tensor& self, std::uint64_t mask);

}  // namespace tensorlib::native
