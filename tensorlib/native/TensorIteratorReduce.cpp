// Reductions over an iterator, and the iterators over parts of one that they need.
#include <algorithm>
#include <utility>

#include "core/Dispatch.h"
#include "core/Parallel.h"
#include "core/Scalar.h"
#include "native/TensorIterator.h"

namespace tensorlib {

std::int64_t TensorIteratorBase::num_output_elements() const {
  std::int64_t elements = 1;
  for (int d = 0; d < ndim(); ++d) {
    if (operands_[0].stride_bytes[d] != 0 || shape_[d] == 0) elements *= shape_[d];
  }
  return elements;
}

bool TensorIteratorBase::is_dim_reduced(int dim) const {
  return std::any_of(operands_, operands_ + noutputs_, [&](const OperandInfo& o) { return o.stride_bytes[dim] == 0 && shape_[dim] > 1; });
}

int TensorIteratorBase::num_reduce_dims() const {
  int count = 0;
  for (int d = 0; d < ndim(); ++d) count += operands_[0].stride_bytes[d] == 0;
  return count;
}

bool TensorIteratorBase::is_cpu_scalar(int operand) const { return operands_[operand].tensor.numel() == 1; }

bool TensorIteratorBase::is_contiguous() const {
  if (numel_ == 1) return true;
  return ndim() == 1 &&
         std::all_of(operands_, operands_ + noperands_, [](const OperandInfo& o) { return o.stride_bytes[0] == o.tensor.element_size(); });
}

template <typename T>
T TensorIteratorBase::scalar_value(int operand) const {
  const OperandInfo& info = operands_[operand];
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(info.tensor.dtype(), "scalar_value",
                                        { return Scalar(*reinterpret_cast<const scalar_t*>(info.data)).cast<T>(); });
}

#define TENSORLIB_INSTANTIATE(type, name) template type TensorIteratorBase::scalar_value<type>(int) const;
TENSORLIB_FORALL_SCALAR_TYPES(TENSORLIB_INSTANTIATE)
#undef TENSORLIB_INSTANTIATE

void TensorIteratorBase::remove_operand(int operand) {
  for (int i = operand; i + 1 < noperands_; ++i) operands_[i] = std::move(operands_[i + 1]);
  operands_[--noperands_].~OperandInfo();
}

void TensorIteratorBase::narrow(int dim, std::int64_t start, std::int64_t size) {
  shape_[dim] = size;
  for (int i = 0; i < noperands_; ++i) operands_[i].data += operands_[i].stride_bytes[dim] * start;
  numel_ = multiply_sizes(shape_);
  if (size == 1 && !is_reduction_) coalesce_dimensions();
}

void TensorIteratorBase::select_all_keeping_dim(int start_dim, IntArrayRef indices) {
  for (int d = start_dim; d < ndim(); ++d) {
    for (int i = 0; i < noperands_; ++i) operands_[i].data += operands_[i].stride_bytes[d] * indices[d - start_dim];
    shape_[d] = 1;
  }
  numel_ = multiply_sizes(shape_);
}

namespace {

struct Part final : TensorIteratorBase {
  explicit Part(const TensorIteratorBase& whole) : TensorIteratorBase(whole) {}
};

}  // namespace

namespace {

/// The outermost dimension that is not reduced over, or -1.
int find_split_dim(const TensorIteratorBase& iter) {
  for (int d = iter.ndim() - 1; d >= 0; --d) {
    if (!iter.is_dim_reduced(d) && iter.shape_[d] > 1) return d;
  }
  return -1;
}

/// use(part) for parts of the iterator that together are all of it, on several threads where that pays; an output is in one part only.
template <typename Use>
void for_parts(const TensorIteratorBase& iter, Use use) {
  const int dim = find_split_dim(iter);
  const std::int64_t positions = iter.shape_[dim];
  const std::int64_t grain = std::max<std::int64_t>(1, GRAIN_SIZE / std::max<std::int64_t>(iter.numel() / positions, 1));
  parallel_for(0, positions, grain, [&](std::int64_t begin, std::int64_t end) {
    Part part(iter);
    part.narrow(dim, begin, end - begin);
    use(part);
  });
}

bool stays_on_one_thread(const TensorIteratorBase& iter) {
  return iter.numel() < GRAIN_SIZE || get_num_threads() == 1 || in_parallel_region() || find_split_dim(iter) < 0;
}

}  // namespace

void TensorIteratorBase::foreach_reduced_elt(loop_subiter_t loop, bool parallelize) {
  if (num_output_elements() == 0) return;
  if (num_output_elements() == 1) return loop(*this);
  if (parallelize && !stays_on_one_thread(*this)) {
    return for_parts(*this, [&](TensorIteratorBase& part) { part.foreach_reduced_elt(loop, false); });
  }
  const int reduced = num_reduce_dims();
  DimVector position(shape_.size() - reduced, 0);
  for (;;) {
    Part part(*this);
    part.select_all_keeping_dim(reduced, position);
    loop(part);
    std::size_t d = 0;
    while (d < position.size() && ++position[d] == shape_[reduced + d]) position[d++] = 0;
    if (d == position.size()) return;
  }
}

void TensorIteratorBase::parallel_reduce(loop2d_t loop) {
  if (numel_ == 0) return;
  if (stays_on_one_thread(*this)) {
    serial_for_each(loop, 0, numel_);
  } else {
    for_parts(*this, [&](TensorIteratorBase& part) { part.serial_for_each(loop, 0, part.numel()); });
  }
}

}  // namespace tensorlib
