// The types in which operators take and give what is no plain number or tensor.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/CPUGenerator.h"
#include "core/Scalar.h"
#include "core/Tensor.h"

namespace tensorlib {

using TensorList = std::span<const Tensor>;
/// The indices of an indexing expression: where there is none, the whole dimension is taken.
using OptionalTensorList = std::span<const std::optional<Tensor>>;
using OptionalIntArrayRef = std::optional<IntArrayRef>;
/// Not owned; the default generator where there is none.
using Generator = CPUGenerator*;

}  // namespace tensorlib
