// The type that operands are computed in.
#pragma once

#include "core/Scalar.h"
#include "core/Tensor.h"

namespace tensorlib::native {

/// Tensors with dimensions rank over 0-dim ones, those over Python numbers; a lower rank counts only where it has the higher category
/// (bool, integer, float).
struct ResultTypeState {
  ScalarType dimResult = ScalarType::Undefined;
  ScalarType zeroResult = ScalarType::Undefined;
  ScalarType wrappedResult = ScalarType::Undefined;
};

/// The state with one operand more.
ResultTypeState update_result_type_state(const Tensor& tensor, const ResultTypeState& state);
ResultTypeState update_result_type_state(const Scalar& scalar, const ResultTypeState& state);
ScalarType result_type(const ResultTypeState& state);

ScalarType result_type(const Tensor& a, const Tensor& b);
ScalarType result_type(const Tensor& tensor, const Scalar& scalar);
ScalarType result_type(const Scalar& scalar, const Tensor& tensor);
ScalarType result_type(const Scalar& a, const Scalar& b);

}  // namespace tensorlib::native
