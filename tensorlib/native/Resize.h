// Tensors that take another shape in place.
#pragma once

#include "core/Tensor.h"

namespace tensorlib::native {

/// Gives an output the shape an operator needs; false when it has it already, strides and all. New strides are `strides`, or row-major ones
/// if those are empty. Warns when elements were there: the user gave an `out` of the wrong shape.
bool resize_output(const Tensor& output, IntArrayRef sizes, IntArrayRef strides = {});

/// self with these sizes, row-major, in its own storage, which grows where it has to; elements keep their place in storage.
const Tensor& resize_(const Tensor& self, IntArrayRef sizes);

}  // namespace tensorlib::native
