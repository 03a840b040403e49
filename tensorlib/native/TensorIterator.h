// Element-wise operators in one description: which elements of the operands belong together, and in what order to visit them.
//
// Dimensions are reordered so that dimension 0 moves fastest in memory, and joined where they are one run; strides are in
// bytes. What is left is a loop nest whose two inner dimensions a kernel's loop receives at once.
#pragma once

#include <cstdint>

#include "core/Tensor.h"
#include "core/function_ref.h"

namespace tensorlib {

/// Where the outputs of an operator come from: fresh ones, or later given ones.
struct MetaBase {
  virtual ~MetaBase() = default;
  virtual void set_output_raw_strided(int output, IntArrayRef sizes, IntArrayRef strides, ScalarType dtype) = 0;
  virtual const Tensor& maybe_get_output(int output) = 0;
};

struct OperandInfo {
  Tensor tensor;
  DimVector stride_bytes;  ///< One per dimension of the iterator; 0 where the operand is broadcast.
  char* data = nullptr;
  bool is_output = false;
  bool will_resize = false;  ///< An output not made yet: its strides follow from the inputs'.
};

/// Members are plain so that debuggers read them; functions are defined in TensorIterator.cpp so that kernel sources, which are compiled
/// for other CPUs, hold no copy of them.
struct TensorIteratorBase : MetaBase {
  /// (data, strides, size0, size1): size1 times size0 elements; `strides` holds one inner stride per operand, then one outer each.
  using loop2d_t = function_ref<void(char** data, const std::int64_t* strides, std::int64_t size0, std::int64_t size1)>;

  static constexpr int max_operands = 4;

  TensorIteratorBase();
  ~TensorIteratorBase() override;
  TensorIteratorBase(const TensorIteratorBase&) = delete;
  TensorIteratorBase& operator=(const TensorIteratorBase&) = delete;

  /// out = f(a); an undefined `out` is made with the common type and the dense form of the input's order.
  void build_unary_op(const Tensor& out, const Tensor& a);
  /// out = f(a, b), with broadcasting and type promotion.
  void build_binary_op(const Tensor& out, const Tensor& a, const Tensor& b);
  /// out = f().
  void build_nullary_op(const Tensor& out);
  /// out = a, each in its own type; an undefined `out` is made with `dtype`.
  void build_copy_op(const Tensor& out, const Tensor& a, ScalarType dtype);

  int ndim() const;
  IntArrayRef shape() const;
  std::int64_t numel() const;
  IntArrayRef strides(int operand) const;
  char* data_ptr(int operand) const;
  ScalarType common_dtype() const;
  ScalarType dtype(int operand) const;
  const Tensor& output(int output = 0);

  void for_each(loop2d_t loop);
  void serial_for_each(loop2d_t loop) const;

  DimVector shape_;
  DimVector perm_;  ///< Dimension i of the iterator is dimension perm_[i] of the broadcast shape; valid until dimensions are joined.
  OperandInfo operands_[max_operands];
  int noperands_ = 0;
  int noutputs_ = 0;
  std::int64_t numel_ = 1;
  ScalarType common_dtype_ = ScalarType::Undefined;

 private:
  void add_output(const Tensor& tensor);
  void add_input(const Tensor& tensor);
  void build(bool promote);
  void compute_shape();
  void compute_common_dtype();
  void cast_inputs_to_common_dtype();
  void compute_strides();
  void reorder_dimensions();
  int should_swap(std::int64_t dim0, std::int64_t dim1) const;
  void permute_dimensions();
  void allocate_outputs();
  DimVector compatible_stride(std::int64_t element_size) const;
  DimVector invert_perm(IntArrayRef values) const;
  bool can_coalesce(int dim0, int dim1) const;
  void coalesce_dimensions();
  void move_dimension(int from, int to);
};

/// An iterator that makes its own outputs.
struct TensorIterator final : TensorIteratorBase {
  void set_output_raw_strided(int output, IntArrayRef sizes, IntArrayRef strides, ScalarType dtype) override;
  const Tensor& maybe_get_output(int output) override;
};

/// The shape that both broadcast to; raises Error, naming sizes and dimension, when there is none.
DimVector infer_size(IntArrayRef a, IntArrayRef b);

}  // namespace tensorlib
