// How an iterator is built and walked. The order of its dimensions is in TensorIteratorDims.cpp.
#include "native/TensorIterator.h"

#include <algorithm>

#include "core/Exception.h"
#include "native/TensorConversions.h"

namespace tensorlib {

TensorIteratorBase::TensorIteratorBase() = default;
TensorIteratorBase::~TensorIteratorBase() = default;

int TensorIteratorBase::ndim() const { return static_cast<int>(shape_.size()); }
IntArrayRef TensorIteratorBase::shape() const { return shape_; }
std::int64_t TensorIteratorBase::numel() const { return numel_; }
IntArrayRef TensorIteratorBase::strides(int operand) const { return operands_[operand].stride_bytes; }
char* TensorIteratorBase::data_ptr(int operand) const { return operands_[operand].data; }
ScalarType TensorIteratorBase::common_dtype() const { return common_dtype_; }
ScalarType TensorIteratorBase::dtype(int operand) const { return operands_[operand].tensor.dtype(); }
const Tensor& TensorIteratorBase::output(int output) { return operands_[output].tensor; }

void TensorIteratorBase::add_output(const Tensor& tensor) {
  OperandInfo& operand = operands_[noperands_++];
  operand.tensor = tensor;
  operand.is_output = true;
  operand.will_resize = !tensor.defined();
  ++noutputs_;
}

void TensorIteratorBase::add_input(const Tensor& tensor) { operands_[noperands_++].tensor = tensor; }

void TensorIteratorBase::build_unary_op(const Tensor& out, const Tensor& a) {
  add_output(out);
  add_input(a);
  build(true);
}

void TensorIteratorBase::build_binary_op(const Tensor& out, const Tensor& a, const Tensor& b) {
  add_output(out);
  add_input(a);
  add_input(b);
  build(true);
}

void TensorIteratorBase::build_nullary_op(const Tensor& out) {
  add_output(out);
  common_dtype_ = out.dtype();
  build(false);
}

void TensorIteratorBase::build_copy_op(const Tensor& out, const Tensor& a, ScalarType dtype) {
  add_output(out);
  add_input(a);
  common_dtype_ = dtype;
  build(false);
}

void TensorIteratorBase::build(bool promote) {
  compute_shape();
  if (promote) {
    compute_common_dtype();
    cast_inputs_to_common_dtype();
  }
  compute_strides();
  reorder_dimensions();
  allocate_outputs();
  coalesce_dimensions();
  for (int i = 0; i < noperands_; ++i) operands_[i].data = operands_[i].tensor.data();
}

DimVector infer_size(IntArrayRef a, IntArrayRef b) {
  const std::size_t ndim = std::max(a.size(), b.size());
  DimVector sizes(ndim);
  for (std::size_t back = 1; back <= ndim; ++back) {
    const std::int64_t size_a = back <= a.size() ? a[a.size() - back] : 1;
    const std::int64_t size_b = back <= b.size() ? b[b.size() - back] : 1;
    if (size_a != size_b && size_a != 1 && size_b != 1) {
      raise("The size of tensor a (" + std::to_string(size_a) + ") must match the size of tensor b (" + std::to_string(size_b) +
            ") at non-singleton dimension " + std::to_string(ndim - back));
    }
    sizes[ndim - back] = size_a == 1 ? size_b : size_a;
  }
  return sizes;
}

void TensorIteratorBase::compute_shape() {
  bool first = true;
  for (int i = 0; i < noperands_; ++i) {
    if (operands_[i].will_resize || (operands_[i].is_output && noperands_ > noutputs_)) continue;
    shape_ = first ? DimVector(operands_[i].tensor.sizes()) : infer_size(shape_, operands_[i].tensor.sizes());
    first = false;
  }
  numel_ = multiply_sizes(shape_);
  for (int i = 0; i < noutputs_; ++i) {
    if (operands_[i].will_resize || std::ranges::equal(operands_[i].tensor.sizes(), IntArrayRef(shape_))) continue;
    raise("output with shape " + toString(operands_[i].tensor.sizes()) + " doesn't match the broadcast shape " + toString(shape_));
  }
}

// Tensors with dimensions rank over 0-dim ones, those over Python numbers: only the highest rank present has a say.
void TensorIteratorBase::compute_common_dtype() {
  int highest = -1;
  for (int i = noutputs_; i < noperands_; ++i) {
    const TensorImpl& impl = *operands_[i].tensor.impl();
    const int rank = impl.dim() > 0 ? 2 : impl.is_wrapped_number() ? 0 : 1;
    if (rank < highest) continue;
    common_dtype_ = rank > highest ? impl.dtype() : promoteTypes(common_dtype_, impl.dtype());
    highest = rank;
  }
}

void TensorIteratorBase::cast_inputs_to_common_dtype() {
  for (int i = noutputs_; i < noperands_; ++i) {
    if (operands_[i].tensor.dtype() != common_dtype_) operands_[i].tensor = native::to(operands_[i].tensor, common_dtype_);
  }
}

void TensorIteratorBase::compute_strides() {
  for (int i = 0; i < noperands_; ++i) {
    OperandInfo& operand = operands_[i];
    if (operand.will_resize) continue;
    const IntArrayRef sizes = operand.tensor.sizes();
    const IntArrayRef strides = operand.tensor.strides();
    const auto element_size = static_cast<std::int64_t>(elementSize(operand.tensor.dtype()));
    const std::size_t missing = shape_.size() - sizes.size();
    operand.stride_bytes.resize(shape_.size(), 0);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      const bool broadcast = sizes[d] == 1 && shape_[missing + d] != 1;
      operand.stride_bytes[missing + d] = broadcast ? 0 : strides[d] * element_size;
    }
  }
}

void TensorIteratorBase::allocate_outputs() {
  for (int i = 0; i < noutputs_; ++i) {
    OperandInfo& operand = operands_[i];
    if (!operand.will_resize) continue;
    const auto element_size = static_cast<std::int64_t>(elementSize(common_dtype_));
    operand.stride_bytes = compatible_stride(element_size);
    DimVector strides = invert_perm(operand.stride_bytes);
    for (std::int64_t& stride : strides) stride /= element_size;
    set_output_raw_strided(i, invert_perm(shape_), strides, common_dtype_);
    operand.tensor = maybe_get_output(i);
  }
}

void TensorIteratorBase::for_each(loop2d_t loop) {
  if (numel_ == 0) return;
  serial_for_each(loop);
}

void TensorIteratorBase::serial_for_each(loop2d_t loop) const {
  const int ntensors = noperands_;
  const int ndim = static_cast<int>(shape_.size());
  std::int64_t strides[2 * max_operands] = {};
  char* data[max_operands];
  for (int t = 0; t < ntensors; ++t) {
    data[t] = operands_[t].data;
    if (ndim > 0) strides[t] = operands_[t].stride_bytes[0];
    if (ndim > 1) strides[ntensors + t] = operands_[t].stride_bytes[1];
  }
  const std::int64_t size0 = ndim > 0 ? shape_[0] : 1;
  const std::int64_t size1 = ndim > 1 ? shape_[1] : 1;
  DimVector index(shape_.size(), 0);
  for (int d = 2;;) {
    loop(data, strides, size0, size1);
    // Count up the dimensions outside the two that the loop walked: from the fastest outward, with carry.
    for (d = 2; d < ndim; ++d) {
      const bool carry = ++index[d] == shape_[d];
      const std::int64_t steps = carry ? 1 - shape_[d] : 1;
      for (int t = 0; t < ntensors; ++t) data[t] += steps * operands_[t].stride_bytes[d];
      if (!carry) break;
      index[d] = 0;
    }
    if (d >= ndim) return;
  }
}

void TensorIterator::set_output_raw_strided(int output, IntArrayRef sizes, IntArrayRef strides, ScalarType dtype) {
  operands_[output].tensor = empty_strided(sizes, strides, dtype);
}

const Tensor& TensorIterator::maybe_get_output(int output) { return operands_[output].tensor; }

}  // namespace tensorlib
