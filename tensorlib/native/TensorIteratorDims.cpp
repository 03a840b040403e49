// The strides of an iterator and the order of its dimensions: sorted by how far a step moves in memory, then joined where two are one run.
#include <utility>

#include "native/TensorIterator.h"

namespace tensorlib {

void TensorIteratorBase::compute_strides() {
  for (int i = 0; i < noperands_; ++i) {
    OperandInfo& operand = operands_[i];
    if (!operand.is_laid_out()) continue;
    const IntArrayRef sizes = operand.tensor.sizes();
    const IntArrayRef strides = operand.tensor.strides();
    const std::int64_t element_size = operand.tensor.element_size();
    const std::size_t missing = shape_.size() - sizes.size();
    operand.stride_bytes.resize(shape_.size(), 0);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      const bool broadcast = sizes[d] == 1 && shape_[missing + d] != 1;
      operand.stride_bytes[missing + d] = broadcast ? 0 : strides[d] * element_size;
    }
  }
}

void TensorIteratorBase::reorder_dimensions(const TensorIteratorConfig& config) {
  const int ndim = static_cast<int>(shape_.size());
  perm_.resize(shape_.size());
  for (int i = 0; i < ndim; ++i) perm_[i] = ndim - 1 - i;
  // An insertion sort, because "which is faster" may be undecided between neighbours (broadcast operands) and decided further on.
  for (int i = 1; i < ndim && !config.enforce_linear_iteration_; ++i) {
    int moving = i;
    for (int other = i - 1; other >= 0; --other) {
      const int order = should_swap(perm_[other], perm_[moving]);
      if (order > 0) {
        std::swap(perm_[other], perm_[moving]);
        moving = other;
      } else if (order < 0) {
        break;
      }
    }
  }
  permute_dimensions();
}

// 1 if dim1 moves faster than dim0, -1 if slower, 0 if no operand tells. Operands speak in order; broadcast ones abstain.
int TensorIteratorBase::should_swap(std::int64_t dim0, std::int64_t dim1) const {
  for (int i = 0; i < noperands_; ++i) {
    if (!operands_[i].is_laid_out()) continue;
    const std::int64_t stride0 = operands_[i].stride_bytes[dim0];
    const std::int64_t stride1 = operands_[i].stride_bytes[dim1];
    // Dimensions that are reduced over come first.
    if (is_reduction_ && operands_[i].is_output && (stride0 == 0) != (stride1 == 0)) return stride1 == 0 ? 1 : -1;
    if (stride0 == 0 || stride1 == 0) continue;
    if (stride0 != stride1) return stride0 < stride1 ? -1 : 1;
    if (shape_[dim0] > shape_[dim1]) return 1;
  }
  return 0;
}

void TensorIteratorBase::permute_dimensions() {
  const auto permuted = [this](const DimVector& values) {
    DimVector result(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) result[i] = values[perm_[i]];
    return result;
  };
  shape_ = permuted(shape_);
  for (int i = 0; i < noperands_; ++i) {
    if (operands_[i].is_laid_out()) operands_[i].stride_bytes = permuted(operands_[i].stride_bytes);
  }
}

/// Dense strides in the iterator's order.
DimVector TensorIteratorBase::compatible_stride(std::int64_t element_size) const {
  DimVector strides(shape_.size());
  std::int64_t next = element_size;
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    strides[i] = next;
    next *= shape_[i] > 0 ? shape_[i] : 1;
  }
  return strides;
}

/// Values per iterator dimension, put back into the order of the broadcast shape.
DimVector TensorIteratorBase::invert_perm(IntArrayRef values) const {
  DimVector result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result[perm_[i]] = values[i];
  return result;
}

bool TensorIteratorBase::can_coalesce(int dim0, int dim1) const {
  if (shape_[dim0] == 1 || shape_[dim1] == 1) return true;
  for (int i = 0; i < noperands_; ++i) {
    if (shape_[dim0] * operands_[i].stride_bytes[dim0] != operands_[i].stride_bytes[dim1]) return false;
  }
  return true;
}

void TensorIteratorBase::coalesce_dimensions() {
  const int ndim = static_cast<int>(shape_.size());
  if (ndim <= 1) return;
  int last = 0;
  for (int dim = 1; dim < ndim; ++dim) {
    if (!can_coalesce(last, dim)) {
      move_dimension(dim, ++last);
      continue;
    }
    // A dimension of size 1 lends its place; the strides that count are the other's.
    if (shape_[last] == 1) {
      for (int i = 0; i < noperands_; ++i) operands_[i].stride_bytes[last] = operands_[i].stride_bytes[dim];
    }
    shape_[last] *= shape_[dim];
  }
  shape_.resize(static_cast<std::size_t>(last) + 1);
  for (int i = 0; i < noperands_; ++i) operands_[i].stride_bytes.resize(static_cast<std::size_t>(last) + 1);
}

void TensorIteratorBase::move_dimension(int from, int to) {
  shape_[to] = shape_[from];
  for (int i = 0; i < noperands_; ++i) operands_[i].stride_bytes[to] = operands_[i].stride_bytes[from];
}

}  // namespace tensorlib
