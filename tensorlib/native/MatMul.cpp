// Products of tensors of any number of dimensions, made of those of matrices.
#include "core/Exception.h"
#include "native/TensorIterator.h"
#include "ops/Functions.h"
#include "ops/NativeFunctions.h"

namespace tensorlib::native {

Tensor linear(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias) {
  const bool has_bias = bias && bias->defined();
  const Tensor transposed = at::t(weight);
  if (has_bias && input.dim() == 2) return at::addmm(*bias, input, transposed);
  const Tensor product = at::matmul(input, transposed);
  return has_bias ? at::add(product, *bias) : product;
}

namespace {

Tensor multiply_batches(const Tensor& self, const Tensor& other) {
  const Tensor left = self.dim() == 1 ? at::unsqueeze(self, 0) : self, right = other.dim() == 1 ? at::unsqueeze(other, 1) : other;
  const IntArrayRef left_batch = left.sizes().first(left.sizes().size() - 2), right_batch = right.sizes().first(right.sizes().size() - 2);
  const DimVector batch = infer_size(left_batch, right_batch);
  const auto with = [&](std::int64_t rows, std::int64_t columns) {
    DimVector sizes(batch);
    sizes.push_back(rows), sizes.push_back(columns);
    return sizes;
  };
  const std::int64_t n = left.size(left.dim() - 2), k = left.size(left.dim() - 1), m = right.size(right.dim() - 1);
  const std::int64_t count = multiply_sizes(batch);
  const Tensor a = at::reshape(at::expand(left, with(n, k)), DimVector{count, n, k});
  const Tensor b = at::reshape(at::expand(right, with(right.size(right.dim() - 2), m)), DimVector{count, right.size(right.dim() - 2), m});
  Tensor result = at::reshape(at::bmm(a, b), with(n, m));
  if (self.dim() == 1) result = at::squeeze(result, -2);
  if (other.dim() == 1) result = at::squeeze(result, -1);
  return result;
}

}  // namespace

Tensor matmul(const Tensor& self, const Tensor& other) {
  if (self.dim() == 0 || other.dim() == 0)
    raise("both arguments to matmul need to be at least 1D, but they are " + std::to_string(self.dim()) + "D and " +
          std::to_string(other.dim()) + "D");
  if (self.dim() == 1 && other.dim() == 1) return at::dot(self, other);
  if (self.dim() == 2 && other.dim() == 1) return at::mv(self, other);
  if (self.dim() == 1 && other.dim() == 2) return at::squeeze(at::mm(at::unsqueeze(self, 0), other), 0);
  if (self.dim() == 2 && other.dim() == 2) return at::mm(self, other);
  // A batch of rows times one matrix is one larger matrix times it.
  if (self.dim() > 2 && other.dim() == 2) {
    DimVector sizes(self.sizes());
    sizes[sizes.size() - 1] = other.size(1);
    return at::reshape(at::mm(at::reshape(self, DimVector{-1, self.size(self.dim() - 1)}), other), sizes);
  }
  return multiply_batches(self, other);
}

}  // namespace tensorlib::native
