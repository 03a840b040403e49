// How an iterator is built and walked. Types are in TensorIteratorTypes.cpp, the order of dimensions in TensorIteratorDims.cpp.
#include "native/TensorIterator.h"

#include <algorithm>

#include "core/Exception.h"
#include "core/MemoryOverlap.h"
#include "core/Parallel.h"
#include "native/Resize.h"
#include "native/TensorConversions.h"

namespace tensorlib {

TensorIteratorBase::TensorIteratorBase() {}
TensorIteratorBase::TensorIteratorBase(const TensorIteratorBase& other)
    : MetaBase(other),
      shape_(other.shape_),
      perm_(other.perm_),
      noutputs_(other.noutputs_),
      numel_(other.numel_),
      common_dtype_(other.common_dtype_),
      is_reduction_(other.is_reduction_),
      all_ops_same_shape_(other.all_ops_same_shape_),
      has_given_outputs_(other.has_given_outputs_) {
  for (int i = 0; i < other.noperands_; ++i) add_operand(other.operands_[i]);
}
TensorIteratorBase::~TensorIteratorBase() { remove_all_operands(); }

void TensorIteratorBase::add_operand(const OperandInfo& operand) { new (&operands_[noperands_++]) OperandInfo(operand); }
void TensorIteratorBase::remove_all_operands() {
  while (noperands_ > 0) operands_[--noperands_].~OperandInfo();
}

int TensorIteratorBase::ndim() const { return static_cast<int>(shape_.size()); }
IntArrayRef TensorIteratorBase::shape() const { return shape_; }
std::int64_t TensorIteratorBase::numel() const { return numel_; }
int TensorIteratorBase::ntensors() const { return noperands_; }
int TensorIteratorBase::noutputs() const { return noutputs_; }
int TensorIteratorBase::ninputs() const { return noperands_ - noutputs_; }
IntArrayRef TensorIteratorBase::strides(int operand) const { return operands_[operand].stride_bytes; }
char* TensorIteratorBase::data_ptr(int operand) const { return operands_[operand].data; }
ScalarType TensorIteratorBase::common_dtype() const { return common_dtype_; }
ScalarType TensorIteratorBase::dtype(int operand) const { return operands_[operand].tensor.dtype(); }
std::int64_t TensorIteratorBase::element_size(int operand) const { return operands_[operand].tensor.element_size(); }
const Tensor& TensorIteratorBase::tensor(int operand) const { return operands_[operand].tensor; }
const Tensor& TensorIteratorBase::input(int input) const { return operands_[noutputs_ + input].tensor; }
const Tensor& TensorIteratorBase::output(int output) {
  OperandInfo& operand = operands_[output];
  return operand.original_tensor.defined() ? operand.original_tensor : operand.tensor;
}

OperandInfo& TensorIteratorBase::add_operand(const Tensor& tensor, bool is_output, bool borrows) {
  OperandInfo& operand = *new (&operands_[noperands_++]) OperandInfo;
  operand.is_output = is_output;
  if (!tensor.defined()) return operand;
  if (borrows) {
    operand.tensor.borrow(tensor);
  } else {
    operand.tensor = tensor;
  }
  operand.target_dtype = tensor.dtype();
  return operand;
}

/// What most calls are, at once: inputs of one floating type and one shape, row by row in memory, and a result that is to be made. What the
/// steps of build() would find is known: nothing broadcasts, nothing is cast, and one dimension is left.
bool TensorIteratorBase::build_plain(const TensorIteratorConfig& config) {
  if (config.noutputs_ != 1 || config.ntensors_ < 2 || config.tensors_[0]->defined() || !config.tensors_[1]->defined()) return false;
  if (config.is_reduction_ || config.has_static_shape_ || config.static_dtype_ != ScalarType::Undefined) return false;
  const Tensor& first = *config.tensors_[1];
  if (!first.is_contiguous() || first.dim() == 0 || !isFloatingType(first.dtype())) return false;
  for (int i = 2; i < config.ntensors_; ++i) {
    const Tensor& other = *config.tensors_[i];
    if (!other.defined() || !other.is_contiguous() || other.dtype() != first.dtype()) return false;
    if (!std::ranges::equal(other.sizes(), first.sizes())) return false;
  }
  is_reduction_ = false;
  noutputs_ = 1;
  common_dtype_ = first.dtype();
  numel_ = first.numel();
  const std::int64_t shape = numel_, stride = first.element_size();
  shape_.assign(&shape, &shape + 1);
  for (int i = 0; i < config.ntensors_; ++i) {
    OperandInfo& operand = add_operand(*config.tensors_[i], i == 0, config.borrows_tensors_);
    operand.stride_bytes.assign(&stride, &stride + 1);
    if (i != 0) operand.data = operand.tensor.data();
  }
  operands_[0].target_dtype = common_dtype_;
  make_output(0, first.sizes(), {});
  operands_[0].data = operands_[0].tensor.data();
  return true;
}

void TensorIteratorBase::build(const TensorIteratorConfig& config) {
  remove_all_operands();
  if (build_plain(config)) return;
  is_reduction_ = config.is_reduction_;
  populate_operands(config);
  if (has_given_outputs_) {
    mark_outputs();
    compute_mem_overlaps(config);
  }
  compute_shape(config);
  if (has_given_outputs_) mark_resize_outputs(config);
  compute_types(config);
  if (!fast_set_up(config)) {
    compute_strides();
    reorder_dimensions(config);
    allocate_or_resize_outputs();
    coalesce_dimensions();
  }
  for (int i = 0; i < noperands_; ++i) operands_[i].data = operands_[i].tensor.data();
}

void TensorIteratorBase::populate_operands(const TensorIteratorConfig& config) {
  has_given_outputs_ = false;
  noutputs_ = config.noutputs_;
  for (int i = 0; i < config.ntensors_; ++i) {
    const OperandInfo& operand = add_operand(*config.tensors_[i], i < noutputs_, config.borrows_tensors_);
    has_given_outputs_ |= operand.is_output && operand.tensor.defined();
  }
}

void TensorIteratorBase::mark_outputs() {
  for (int i = 0; i < noutputs_; ++i) {
    if (!operands_[i].tensor.defined()) continue;
    for (int arg = noutputs_; arg < noperands_; ++arg) operands_[i].is_read_write |= operands_[i].tensor.is_same(operands_[arg].tensor);
  }
}

void TensorIteratorBase::compute_mem_overlaps(const TensorIteratorConfig& config) {
  if (!config.check_mem_overlap_) return;
  for (int i = 0; i < noutputs_; ++i) {
    const Tensor& output = operands_[i].tensor;
    if (!output.defined()) continue;
    assert_no_internal_overlap(output);
    for (int arg = noutputs_; arg < noperands_; ++arg) assert_no_partial_overlap(output, operands_[arg].tensor);
  }
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

void TensorIteratorBase::compute_shape(const TensorIteratorConfig& config) {
  if (config.has_static_shape_) {
    shape_ = config.static_shape_;
    all_ops_same_shape_ = false;
  } else {
    bool first = true;
    for (int i = 0; i < noperands_; ++i) {
      const OperandInfo& operand = operands_[i];
      if (!operand.tensor.defined() || (operand.is_output && config.resize_outputs_)) continue;
      const IntArrayRef sizes = operand.tensor.sizes();
      if (first) {
        shape_ = DimVector(sizes);
      } else if (!std::ranges::equal(IntArrayRef(shape_), sizes)) {
        all_ops_same_shape_ = false;
        shape_ = infer_size(shape_, sizes);
      }
      first = false;
    }
  }
  numel_ = multiply_sizes(shape_);
}

void TensorIteratorBase::mark_resize_outputs(const TensorIteratorConfig& config) {
  if (config.has_static_shape_) return;
  for (int i = 0; i < noutputs_; ++i) {
    OperandInfo& operand = operands_[i];
    if (!operand.tensor.defined() || std::ranges::equal(operand.tensor.sizes(), IntArrayRef(shape_))) continue;
    if (config.resize_outputs_ && !operand.is_read_write) {
      operand.will_resize = true;
    } else if (!is_reduction_) {
      raise("output with shape " + toString(operand.tensor.sizes()) + " doesn't match the broadcast shape " + toString(shape_));
    }
  }
}

void TensorIteratorBase::allocate_or_resize_outputs() {
  for (int i = 0; i < noutputs_; ++i) {
    OperandInfo& operand = operands_[i];
    if (operand.is_laid_out()) {
      make_output(i, operand.tensor.sizes(), {});
      continue;
    }
    const auto element_size = static_cast<std::int64_t>(elementSize(operand.target_dtype));
    operand.stride_bytes = compatible_stride(element_size);
    DimVector strides = invert_perm(operand.stride_bytes);
    for (std::int64_t& stride : strides) stride /= element_size;
    make_output(i, invert_perm(shape_), strides);
  }
}

/// Has the operator make or resize its output, and takes it (or a copy in the computing type) as operand.
void TensorIteratorBase::make_output(int output, IntArrayRef sizes, IntArrayRef strides) {
  OperandInfo& operand = operands_[output];
  const bool is_cast = operand.original_tensor.defined();
  set_output_raw_strided(output, sizes, strides, is_cast ? operand.original_tensor.dtype() : operand.target_dtype);
  if (!is_cast) {
    // Where outputs are members of the operator, they outlive its operands.
    const Tensor& made = maybe_get_output(output);
    if (&made != &operand.tensor) operand.tensor.borrow(made);
  } else if (operand.will_resize) {
    operand.tensor = strides.empty() ? empty(sizes, operand.target_dtype) : empty_strided(sizes, strides, operand.target_dtype);
  }
  operand.will_resize = false;
}

void TensorIteratorBase::set_output_raw_strided(int output, IntArrayRef sizes, IntArrayRef strides, ScalarType dtype) {
  OperandInfo& operand = operands_[output];
  MaybeOwnedTensor& given = operand.original_tensor.defined() ? operand.original_tensor : operand.tensor;
  if (!given.defined()) {
    given = strides.empty() ? empty(sizes, dtype) : empty_strided(sizes, strides, dtype);
  } else {
    native::resize_output(given, sizes, strides);
  }
}

const Tensor& TensorIteratorBase::maybe_get_output(int output) { return this->output(output); }

bool TensorIteratorBase::can_set_up_contiguous() const {
  for (int i = 0; i < noperands_; ++i) {
    if (operands_[i].is_laid_out() && !operands_[i].tensor.is_contiguous()) return false;
  }
  return true;
}

bool TensorIteratorBase::can_set_up_dense() const {
  const OperandInfo* first = nullptr;
  for (int i = 0; i < noperands_; ++i) {
    const OperandInfo& operand = operands_[i];
    if (!operand.is_laid_out()) continue;
    if (!operand.tensor.is_non_overlapping_and_dense()) return false;
    if (first && !std::ranges::equal(first->tensor.strides(), operand.tensor.strides())) return false;
    if (!first) first = &operand;
  }
  return first != nullptr;
}

/// The short way where all operands are one run of memory in the same order: one dimension is left.
bool TensorIteratorBase::fast_set_up(const TensorIteratorConfig& config) {
  if (is_reduction_ || !all_ops_same_shape_) return false;
  DimVector strides;  // none: row by row
  if (can_set_up_contiguous()) {
  } else if (!config.enforce_linear_iteration_ && can_set_up_dense()) {
    strides =
        DimVector(std::find_if(operands_, operands_ + noperands_, [](const OperandInfo& o) { return o.is_laid_out(); })->tensor.strides());
  } else {
    return false;
  }
  for (int i = 0; i < noutputs_; ++i) make_output(i, shape_, operands_[i].is_laid_out() ? IntArrayRef() : IntArrayRef(strides));
  const std::size_t ndim = shape_.empty() ? 0 : 1;
  shape_.resize(ndim);
  if (ndim) shape_[0] = numel_;
  for (int i = 0; i < noperands_; ++i) {
    operands_[i].stride_bytes.resize(ndim);
    if (ndim) operands_[i].stride_bytes[0] = element_size(i);
  }
  return true;
}

void TensorIteratorBase::cast_outputs() {
  for (int i = 0; i < noutputs_; ++i) {
    OperandInfo& operand = operands_[i];
    if (!operand.original_tensor.defined()) continue;
    native::copy_(operand.original_tensor, operand.tensor);
    operand.tensor = std::exchange(operand.original_tensor, MaybeOwnedTensor());
  }
}

void TensorIteratorBase::for_each(loop2d_t loop, std::int64_t grain_size) {
  if (numel_ == 0) return;
  if (numel_ <= grain_size || get_num_threads() == 1 || in_parallel_region()) {
    serial_for_each(loop, 0, numel_);
  } else {
    parallel_for(0, numel_, grain_size, [&](std::int64_t begin, std::int64_t end) { serial_for_each(loop, begin, end); });
  }
}

namespace {

/// Where a walk over a range of an iterator's elements is: a position per dimension, and the operands' addresses there.
struct Walk {
  const TensorIteratorBase& iter;
  DimVector position;
  char* data[TensorIteratorBase::max_operands];

  Walk(const TensorIteratorBase& iterator, std::int64_t offset) : iter(iterator), position(iterator.shape_.size(), 0) { seek(offset); }

  void seek(std::int64_t offset) {
    for (int t = 0; t < iter.noperands_; ++t) data[t] = iter.operands_[t].data;
    for (std::size_t d = 0; d < position.size(); ++d) {
      position[d] = offset % iter.shape_[d];
      offset /= iter.shape_[d];
      for (int t = 0; t < iter.noperands_; ++t) data[t] += position[d] * iter.operands_[t].stride_bytes[d];
    }
  }

  /// Counts up the dimensions from `d` outward, with carry.
  void carry_from(std::size_t d) {
    for (; d < position.size(); ++d) {
      const bool carry = ++position[d] == iter.shape_[d];
      const std::int64_t steps = carry ? 1 - iter.shape_[d] : 1;
      for (int t = 0; t < iter.noperands_; ++t) data[t] += steps * iter.operands_[t].stride_bytes[d];
      if (!carry) return;
      position[d] = 0;
    }
  }
};

}  // namespace

void TensorIteratorBase::serial_for_each(loop2d_t loop, std::int64_t begin, std::int64_t end) const {
  std::int64_t strides[2 * max_operands];
  for (int t = 0; t < noperands_; ++t) {
    strides[t] = shape_.size() > 0 ? operands_[t].stride_bytes[0] : 0;
    strides[noperands_ + t] = shape_.size() > 1 ? operands_[t].stride_bytes[1] : 0;
  }
  const std::int64_t size0 = shape_.size() > 0 ? shape_[0] : 1;
  const std::int64_t size1 = shape_.size() > 1 ? shape_[1] : 1;
  if (begin == 0 && end == size0 * size1) {
    // One block holds all: nowhere to walk to.
    char* data[max_operands];
    for (int t = 0; t < noperands_; ++t) data[t] = operands_[t].data;
    return loop(data, strides, size0, size1);
  }
  Walk walk(*this, begin);
  while (begin < end) {
    // A block of whole rows where the walk stands at the start of one, else what is left of the row.
    const std::int64_t in_row = shape_.size() > 0 ? walk.position[0] : 0;
    const std::int64_t in_column = shape_.size() > 1 ? walk.position[1] : 0;
    const std::int64_t step0 = std::min(size0 - in_row, end - begin);
    const std::int64_t step1 = step0 < size0 ? 1 : std::min(size1 - in_column, (end - begin) / size0);
    loop(walk.data, strides, step0, step1);
    begin += step0 * step1;
    if (step0 == size0 && step1 == size1) {
      walk.carry_from(2);
    } else if (begin < end) {
      walk.seek(begin);
    }
  }
}

}  // namespace tensorlib
