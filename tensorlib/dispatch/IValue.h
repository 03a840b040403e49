// A value of any of the types that operators take and give: how boxed kernels see arguments and results.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/ArgumentTypes.h"

namespace tensorlib {

using IValue = std::variant<std::monostate, Tensor, Scalar, std::int64_t, double, bool, std::string, ScalarType, std::vector<std::int64_t>,
                            std::vector<Tensor>, std::vector<std::optional<Tensor>>, Generator>;

/// The arguments of a call, first one first; afterwards its results.
using Stack = std::vector<IValue>;

/// "Tensor Float [3, 4]", "3", "[0, 1]", "None": for people.
std::string toString(const IValue& value);

}  // namespace tensorlib
