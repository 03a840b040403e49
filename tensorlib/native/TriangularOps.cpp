// tril and triu: a matrix's elements on one side of a diagonal.
#include "core/Exception.h"
#include "native/TensorConversions.h"
#include "native/TensorShape.h"
#include "ops/Functions.h"
#include "ops/NativeFunctions.h"

namespace tensorlib::native {

namespace {

/// A copy of self, 0 where `keep(row, column)` is false.
template <typename Keep>
Tensor masked_matrix(const Tensor& self, const char* name, Keep keep) {
  if (self.dim() < 2)
    raise(std::string(name) + ": input tensor must have at least 2 dimensions, but got " + tensorlib::toString(self.sizes()));
  const std::int64_t rows = self.size(self.dim() - 2), columns = self.size(self.dim() - 1);
  const Tensor mask = tensorlib::empty(DimVector{rows, columns}, ScalarType::Bool);
  bool* drop = mask.data_ptr<bool>();
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) *drop++ = !keep(i, j);
  }
  return masked_fill(contiguous(self), mask, 0);
}

}  // namespace

Tensor tril(const Tensor& self, std::int64_t diagonal) {
  return masked_matrix(self, "tril", [diagonal](std::int64_t i, std::int64_t j) { return j - i <= diagonal; });
}
Tensor triu(const Tensor& self, std::int64_t diagonal) {
  return masked_matrix(self, "triu", [diagonal](std::int64_t i, std::int64_t j) { return j - i >= diagonal; });
}

}  // namespace tensorlib::native
