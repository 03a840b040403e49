// What the operators that make views share.
#pragma once

#include <string>

#include "core/Tensor.h"

namespace tensorlib::native {

/// A view takes its tensor's part in gradients: what is computed from it is computed from the tensor.
Tensor make_view(const Tensor& self, IntArrayRef sizes, IntArrayRef strides, std::int64_t offset);

/// "tensorlib.FloatTensor{[3, 4]}", for messages.
std::string describe(const Tensor& self);

}  // namespace tensorlib::native
