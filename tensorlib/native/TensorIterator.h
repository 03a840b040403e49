// Element-wise operators in one description: which elements of the operands belong together, and in what order to visit them.
//
// Dimensions are reordered so that dimension 0 moves fastest in memory, and joined where they are one run; strides are in
// bytes. What is left is a loop nest whose two inner dimensions a kernel's loop receives at once.
#pragma once

#include <cstdint>
#include <span>

#include "core/Tensor.h"
#include "core/function_ref.h"

namespace tensorlib {

class TensorIteratorConfig;

/// Where the outputs of an operator come from: fresh ones, or given ones.
struct MetaBase {
  virtual ~MetaBase() = default;
  /// Makes output number `output`, or resizes the given one. No strides: row-major; for a given output of the right shape its own stay.
  virtual void set_output_raw_strided(int output, IntArrayRef sizes, IntArrayRef strides, ScalarType dtype) = 0;
  /// Undefined before set_output_raw_strided where outputs are fresh.
  virtual const Tensor& maybe_get_output(int output) = 0;
};

struct OperandInfo {
  MaybeOwnedTensor tensor;           ///< What the loop reads or writes.
  MaybeOwnedTensor original_tensor;  ///< What was given, where `tensor` is a copy in the common type.
  DimVector stride_bytes;            ///< One per dimension of the iterator; 0 where the operand is broadcast.
  char* data = nullptr;
  ScalarType target_dtype = ScalarType::Undefined;  ///< The type that the loop sees.
  bool is_output = false;
  bool is_read_write = false;  ///< An output that is an input too.
  bool will_resize = false;    ///< A given output of another shape.

  bool is_laid_out() const { return tensor.defined() && !will_resize; }
};

/// The grain of work: below it for_each stays on its thread.
constexpr std::int64_t GRAIN_SIZE = 32768;

/// Members are plain so that debuggers read them; functions are defined in TensorIterator*.cpp so that kernel sources, which are compiled
/// for other CPUs, hold no copy of them.
struct TensorIteratorBase : MetaBase {
  /// (data, strides, size0, size1): size1 times size0 elements; `strides` holds one inner stride per operand, then one outer each.
  using loop2d_t = function_ref<void(char** data, const std::int64_t* strides, std::int64_t size0, std::int64_t size1)>;
  using loop_subiter_t = function_ref<void(TensorIteratorBase& subiter)>;

  static constexpr int max_operands = 8;

  TensorIteratorBase();
  ~TensorIteratorBase() override;

  void build(const TensorIteratorConfig& config);

  // Outputs that are not defined are made, with the common type (bool for comparisons) and dense in the order of the inputs' strides. Given
  // ones are resized, checked for overlap and cast to. Inputs broadcast, and are cast to their common type.
  void build_unary_op(const Tensor& out, const Tensor& a);
  /// Integers are computed as get_default_dtype().
  void build_unary_float_op(const Tensor& out, const Tensor& a);
  void build_unary_force_boolean_op(const Tensor& out, const Tensor& a);
  void build_binary_op(const Tensor& out, const Tensor& a, const Tensor& b);
  void build_binary_float_op(const Tensor& out, const Tensor& a, const Tensor& b);
  /// Computed in the inputs' common type, written as bool.
  void build_comparison_op(const Tensor& out, const Tensor& a, const Tensor& b);
  void build_ternary_op(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& c);
  // The same for structured operators, whose outputs and arguments outlive the iterator: their owners are not counted.
  void build_borrowing_unary_op(const Tensor& out, const Tensor& a);
  void build_borrowing_unary_float_op(const Tensor& out, const Tensor& a);
  void build_borrowing_unary_force_boolean_op(const Tensor& out, const Tensor& a);
  void build_borrowing_binary_op(const Tensor& out, const Tensor& a, const Tensor& b);
  void build_borrowing_binary_float_op(const Tensor& out, const Tensor& a, const Tensor& b);
  void build_borrowing_comparison_op(const Tensor& out, const Tensor& a, const Tensor& b);
  /// out = f(), `out` as it is.
  void build_nullary_op(const Tensor& out);
  /// out = a, each in its own type; an undefined `out` is made with `dtype`.
  void build_copy_op(const Tensor& out, const Tensor& a, ScalarType dtype);

  int ndim() const;
  IntArrayRef shape() const;
  std::int64_t numel() const;
  int ntensors() const;
  int noutputs() const;
  int ninputs() const;
  IntArrayRef strides(int operand) const;
  char* data_ptr(int operand) const;
  ScalarType common_dtype() const;
  ScalarType dtype(int operand = 0) const;
  std::int64_t element_size(int operand) const;
  const Tensor& tensor(int operand) const;
  /// What the caller gets: the given output where the loop writes to a copy in another type.
  const Tensor& output(int output = 0);
  const Tensor& input(int input = 0) const;
  /// Elements of the first output: fewer than numel() in a reduction.
  std::int64_t num_output_elements() const;
  int num_reduce_dims() const;
  bool is_dim_reduced(int dim) const;
  /// Whether an operand is one number.
  bool is_cpu_scalar(int operand) const;
  bool is_contiguous() const;

  /// That number, converted to T, and the operand gone: kernels take numbers out before they loop.
  template <typename T>
  T scalar_value(int operand) const;
  void remove_operand(int operand);

  /// Runs the loop over everything; on several threads when there are more than `grain_size` elements.
  void for_each(loop2d_t loop, std::int64_t grain_size = GRAIN_SIZE);
  /// Elements begin to end - 1, in the iterator's order, on this thread.
  void serial_for_each(loop2d_t loop, std::int64_t begin, std::int64_t end) const;
  /// Writes outputs that were computed in the common type to the given ones. cpu_kernel calls it after the loop.
  void cast_outputs();

  // Reductions.
  /// Runs the loop for a reduction: outputs hold their start value already, and each is written by one thread only.
  void parallel_reduce(loop2d_t loop);
  /// Calls `loop` with an iterator over the elements of each output element in turn.
  void foreach_reduced_elt(loop_subiter_t loop, bool parallelize = true);
  /// Leaves elements start to start + size - 1 of a dimension.
  void narrow(int dim, std::int64_t start, std::int64_t size);
  /// Leaves one position of the dimensions from `start_dim` on.
  void select_all_keeping_dim(int start_dim, IntArrayRef indices);

  void set_output_raw_strided(int output, IntArrayRef sizes, IntArrayRef strides, ScalarType dtype) override;
  const Tensor& maybe_get_output(int output) override;

  DimVector shape_;
  DimVector perm_;  ///< Dimension i of the iterator is dimension perm_[i] of the broadcast shape; valid until dimensions are joined.
  union {
    OperandInfo operands_[max_operands];  ///< Those from noperands_ on are not there.
  };
  int noperands_ = 0;
  int noutputs_ = 0;
  std::int64_t numel_ = 1;
  ScalarType common_dtype_ = ScalarType::Undefined;
  bool is_reduction_ = false;
  bool all_ops_same_shape_ = true;
  bool has_given_outputs_ = false;

 protected:
  TensorIteratorBase(const TensorIteratorBase&);
  TensorIteratorBase& operator=(const TensorIteratorBase&) = delete;

 private:
  bool build_plain(const TensorIteratorConfig& config);
  OperandInfo& add_operand(const Tensor& tensor, bool is_output, bool borrows);
  void add_operand(const OperandInfo& operand);
  void remove_all_operands();
  void populate_operands(const TensorIteratorConfig& config);
  void mark_outputs();
  void compute_mem_overlaps(const TensorIteratorConfig& config);
  void compute_shape(const TensorIteratorConfig& config);
  void mark_resize_outputs(const TensorIteratorConfig& config);
  void compute_types(const TensorIteratorConfig& config);
  ScalarType compute_common_dtype() const;
  void check_all_same_dtype() const;
  void cast_operand(OperandInfo& operand, const TensorIteratorConfig& config);
  bool fast_set_up(const TensorIteratorConfig& config);
  bool can_set_up_contiguous() const;
  bool can_set_up_dense() const;
  void compute_strides();
  void reorder_dimensions(const TensorIteratorConfig& config);
  int should_swap(std::int64_t dim0, std::int64_t dim1) const;
  void permute_dimensions();
  void allocate_or_resize_outputs();
  void make_output(int output, IntArrayRef sizes, IntArrayRef strides);
  DimVector compatible_stride(std::int64_t element_size) const;
  DimVector invert_perm(IntArrayRef values) const;
  bool can_coalesce(int dim0, int dim1) const;
  void coalesce_dimensions();
  void move_dimension(int from, int to);
};

/// An iterator that makes its own outputs.
struct TensorIterator final : TensorIteratorBase {
  TensorIterator() = default;
  TensorIterator(const TensorIterator&) = default;

  static TensorIterator unary_op(const Tensor& out, const Tensor& a);
  static TensorIterator unary_float_op(const Tensor& out, const Tensor& a);
  static TensorIterator binary_op(const Tensor& out, const Tensor& a, const Tensor& b);
  static TensorIterator binary_float_op(const Tensor& out, const Tensor& a, const Tensor& b);
  static TensorIterator comparison_op(const Tensor& out, const Tensor& a, const Tensor& b);
  static TensorIterator nullary_op(const Tensor& out);
  /// `out` has the dimensions of `a`, those that are reduced with stride 0 (see native/ReduceOpsUtils.h).
  static TensorIterator reduce_op(const Tensor& out, const Tensor& a);
  static TensorIterator reduce_op(const Tensor& out1, const Tensor& out2, const Tensor& a);
};

/// What an iterator is built from. Outputs are added before inputs.
class TensorIteratorConfig {
 public:
  TensorIteratorConfig() = default;
  TensorIteratorConfig(const TensorIteratorConfig&) = delete;
  TensorIteratorConfig& operator=(const TensorIteratorConfig&) = delete;

  /// The tensor must live until build(); add_owned_* keep theirs.
  TensorIteratorConfig& add_output(const Tensor& output);
  TensorIteratorConfig& add_input(const Tensor& input);
  TensorIteratorConfig& add_output(Tensor&&) = delete;
  TensorIteratorConfig& add_input(Tensor&&) = delete;
  TensorIteratorConfig& add_owned_output(Tensor output);
  TensorIteratorConfig& add_owned_input(Tensor input);
  /// The tensors outlive the iterator too, which then does not own them.
  TensorIteratorConfig& borrow_tensors() { return set(borrows_tensors_, true); }

  /// Raise on outputs that overlap themselves or, in part, an input (default).
  TensorIteratorConfig& set_check_mem_overlap(bool value) { return set(check_mem_overlap_, value); }
  /// Raise "Found dtype Long but expected Float" unless all operands have one type (default).
  TensorIteratorConfig& check_all_same_dtype(bool value) { return set(check_all_same_dtype_, value); }
  /// Visit elements in row-major order, whatever memory would prefer.
  TensorIteratorConfig& enforce_linear_iteration(bool value = true) { return set(enforce_linear_iteration_, value); }
  /// Cast inputs to result_type() of all of them; implies that types may differ.
  TensorIteratorConfig& promote_inputs_to_common_dtype(bool value) {
    if (value) check_all_same_dtype_ = false;
    return set(promote_inputs_to_common_dtype_, value);
  }
  /// Use get_default_dtype() where the common type is no floating one. Needs promote_inputs_to_common_dtype.
  TensorIteratorConfig& promote_integer_inputs_to_float(bool value) { return set(promote_integer_inputs_to_float_, value); }
  /// Dimensions of the output with stride 0 are reduced over.
  TensorIteratorConfig& is_reduction(bool value) { return set(is_reduction_, value); }
  /// Compute given outputs in the common type and cast afterwards.
  TensorIteratorConfig& cast_common_dtype_to_outputs(bool value) {
    if (value) check_all_same_dtype_ = false;
    return set(cast_common_dtype_to_outputs_, value);
  }
  /// Raise "result type Float can't be cast to the desired output type Long" where canCast() says no.
  TensorIteratorConfig& enforce_safe_casting_to_output(bool value) { return set(enforce_safe_casting_to_output_, value); }
  /// Resize given outputs of another shape (default), else raise.
  TensorIteratorConfig& resize_outputs(bool value) { return set(resize_outputs_, value); }
  /// The type of outputs that are made; default: the common type.
  TensorIteratorConfig& declare_static_dtype(ScalarType dtype) {
    static_dtype_ = dtype;
    return *this;
  }
  /// The shape, whatever the operands say; operands must have it or strides of their own choosing.
  TensorIteratorConfig& declare_static_shape(IntArrayRef shape);

  TensorIterator build() const;

 private:
  friend struct TensorIteratorBase;
  TensorIteratorConfig& set(bool& member, bool value) {
    member = value;
    return *this;
  }

  static constexpr int max_owned = 4;

  const Tensor** next_place();
  Tensor& next_owned();

  const Tensor* tensors_[TensorIteratorBase::max_operands] = {};
  Tensor owned_[max_owned];
  int nowned_ = 0;
  int ntensors_ = 0;
  int noutputs_ = 0;
  DimVector static_shape_;
  bool has_static_shape_ = false;
  ScalarType static_dtype_ = ScalarType::Undefined;
  bool check_mem_overlap_ = true;
  bool check_all_same_dtype_ = true;
  bool enforce_linear_iteration_ = false;
  bool promote_inputs_to_common_dtype_ = false;
  bool promote_integer_inputs_to_float_ = false;
  bool is_reduction_ = false;
  bool cast_common_dtype_to_outputs_ = false;
  bool enforce_safe_casting_to_output_ = false;
  bool resize_outputs_ = true;
  bool borrows_tensors_ = false;
};

/// The shape that both broadcast to; raises Error, naming sizes and dimension, when there is none.
DimVector infer_size(IntArrayRef a, IntArrayRef b);

}  // namespace tensorlib
