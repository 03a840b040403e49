// Where the outputs of a structured operator come from, and rows of registration tables.
#pragma once

#include "core/ArgumentTypes.h"
#include "native/Resize.h"
#include "native/TensorIterator.h"
#include "ops/Registration.h"

namespace tensorlib {

/// A structured operator whose outputs are fresh memory.
template <typename Structured, int count>
struct structured_functional final : Structured {
  void set_output_raw_strided(int output, IntArrayRef sizes, IntArrayRef strides, ScalarType dtype) override {
    outputs_[output] = strides.empty() ? empty(sizes, dtype) : empty_strided(sizes, strides, dtype);
  }
  const Tensor& maybe_get_output(int output) override { return outputs_[output]; }

  Tensor outputs_[count];
};

/// A structured operator that writes to given tensors: `out=`, or the operand of an in-place operator.
template <typename Structured, int count>
struct structured_given final : Structured {
  template <typename... Outputs>
  explicit structured_given(Outputs&... outputs) : outputs_{outputs...} {}

  void set_output_raw_strided(int output, IntArrayRef sizes, IntArrayRef strides, ScalarType) override {
    native::resize_output(outputs_[output], sizes, strides);
  }
  const Tensor& maybe_get_output(int output) override { return outputs_[output]; }

  Tensor outputs_[count];
};

/// A row that remembers the kernel's name and the line it stands on.
template <typename Op, auto kernel>
Registration row(std::source_location where = std::source_location::current()) {
  return {Op::name,
          KernelFunction::makeFromUnboxedFunction<kernel, typename Op::schema>(),
          {std::source_location::current().function_name(), where.file_name(), where.line()}};
}

}  // namespace tensorlib
