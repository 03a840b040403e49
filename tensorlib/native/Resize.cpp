#include "native/Resize.h"

#include <algorithm>

#include "core/Exception.h"
#include "core/Warning.h"

namespace tensorlib::native {

namespace {

std::size_t bytes_needed(const Tensor& self, IntArrayRef sizes, IntArrayRef strides, std::int64_t offset) {
  const std::int64_t reach = storage_reach(sizes, strides);
  return reach == 0 ? 0 : static_cast<std::size_t>(offset + reach) * elementSize(self.dtype());
}

void resize_to(const Tensor& self, IntArrayRef sizes, IntArrayRef strides) {
  multiply_sizes(sizes);
  const std::size_t nbytes = bytes_needed(self, sizes, strides, self.storage_offset());
  if (nbytes > self.storage()->nbytes()) self.storage()->resize(nbytes);
  self.impl()->set_sizes_and_strides(sizes, strides, self.storage_offset());
}

}  // namespace

bool resize_output(const Tensor& output, IntArrayRef sizes, IntArrayRef strides) {
  if (std::ranges::equal(output.sizes(), sizes)) return false;
  if (output.numel() != 0) {
    warn("An output with one or more elements was resized since it had shape " + toString(output.sizes()) +
         ", which does not match the required output shape " + toString(sizes) +
         ". This behavior is deprecated, and in a future release outputs will not be resized unless they have zero elements. You can "
         "explicitly reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0).");
  }
  // `sizes` may be the output's own.
  resize_to(output, DimVector(sizes), strides.empty() ? contiguous_strides(sizes) : DimVector(strides));
  return true;
}

const Tensor& resize_(const Tensor& self, IntArrayRef sizes) {
  if (!std::ranges::equal(self.sizes(), sizes)) {
    if (self.requires_grad()) raise("cannot resize variables that require grad");
    multiply_sizes(sizes);
    resize_to(self, DimVector(sizes), contiguous_strides(sizes));
  }
  return self;
}

}  // namespace tensorlib::native
