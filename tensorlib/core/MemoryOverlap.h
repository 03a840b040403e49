// Whether writing to a tensor would change what is still to be read.
#pragma once

#include "core/Tensor.h"

namespace tensorlib {

enum class MemOverlap { No, Yes, TooHard };
/// Whether two elements of one tensor share memory. TooHard: it would take a search to tell.
MemOverlap has_internal_overlap(const Tensor& tensor);

enum class MemOverlapStatus { Full, Partial, No, TooHard };
/// Full: the same elements in the same places. TooHard is said of tensors with gaps, as PyTorch does.
MemOverlapStatus get_overlap_status(const Tensor& a, const Tensor& b);

/// Raise Error, saying to clone, where an operator must not write to `output`.
void assert_no_internal_overlap(const Tensor& output);
void assert_no_partial_overlap(const Tensor& output, const Tensor& input);
void assert_no_overlap(const Tensor& output, const Tensor& input);

}  // namespace tensorlib
