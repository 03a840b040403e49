// Formulas of reductions.
#include <algorithm>

#include "autograd/FunctionsManual.h"
#include "autograd/operators.h"

namespace tensorlib::autograd::generated::details {

using namespace at;

namespace {

std::int64_t wrapped(std::int64_t dim, std::int64_t ndim) { return dim < 0 ? dim + std::max<std::int64_t>(ndim, 1) : dim; }

/// Dimensions in ascending order, none negative. None given means all.
DimVector wrapped(IntArrayRef dims, std::int64_t ndim) {
  DimVector result;
  if (dims.empty()) {
    for (std::int64_t d = 0; d < ndim; ++d) result.push_back(d);
    return result;
  }
  for (std::int64_t dim : dims) result.push_back(wrapped(dim, ndim));
  std::sort(result.begin(), result.end());
  return result;
}

Tensor unsqueeze_multiple(Tensor t, IntArrayRef dims, std::int64_t ndim) {
  for (std::int64_t dim : wrapped(dims, ndim)) t = unsqueeze(t, dim);
  return t;
}

}  // namespace

Tensor restore_reduced_dims(const Tensor& output, IntArrayRef dims, bool keepdim) {
  if (keepdim) return output;
  return unsqueeze_multiple(output, dims, output.dim() + static_cast<std::int64_t>(dims.size()));
}

Tensor sum_backward(const Tensor& grad, IntArrayRef sizes, const std::optional<IntArrayRef>& dims, bool keepdim) {
  const auto ndim = static_cast<std::int64_t>(sizes.size());
  if (keepdim || ndim == 0) return expand(grad, sizes);
  if (!dims || dims->empty()) return expand(grad, sizes);
  return expand(unsqueeze_multiple(grad, *dims, ndim), sizes);
}

Tensor mean_backward(const Tensor& grad, IntArrayRef sizes, const std::optional<IntArrayRef>& dims, std::int64_t n, bool keepdim) {
  const bool all = !dims || dims->empty();
  std::int64_t count = all ? n : 1;
  if (!all) {
    for (std::int64_t dim : *dims) count *= sizes.empty() ? 1 : sizes[wrapped(dim, static_cast<std::int64_t>(sizes.size()))];
  }
  return sum_backward(grad, sizes, dims, keepdim) / Scalar(count);
}

Tensor var_backward(const Tensor& grad, const Tensor& self, const std::optional<IntArrayRef>& dims, std::optional<std::int64_t> correction,
                    bool keepdim) {
  const bool all = !dims || dims->empty() || self.dim() == 0;
  std::int64_t count = all ? self.numel() : 1;
  if (!all) {
    for (std::int64_t dim : *dims) count *= self.size(wrapped(dim, self.dim()));
  }
  const auto free = static_cast<double>(std::max<std::int64_t>(count - correction.value_or(1), 0));
  const Tensor spread = all || keepdim ? grad : unsqueeze_multiple(grad, *dims, self.dim());
  const Tensor middle = all ? mean(self) : mean(self, *dims, true);
  return Scalar(2.0 / free) * spread * (self - middle);
}

Tensor std_backward(const Tensor& result, const Tensor& grad, const Tensor& self, const std::optional<IntArrayRef>& dims,
                    std::optional<std::int64_t> correction, bool keepdim) {
  const Tensor grad_var = masked_fill(grad / (result * Scalar(2)), result == Scalar(0), 0);
  return var_backward(grad_var, self, dims, correction, keepdim);
}

namespace {

/// The product of all others along `dim`, also where some are 0: products from the left times products from the right.
Tensor prod_of_others(const Tensor& self, std::int64_t dim) {
  const std::int64_t size = self.sizes()[dim];
  std::vector<Tensor> left, right(static_cast<std::size_t>(size));
  Tensor running = ones_like(select(self, dim, 0));
  for (std::int64_t i = 0; i < size; ++i) {
    left.push_back(running);
    running = running * select(self, dim, i);
  }
  running = ones_like(running);
  for (std::int64_t i = size; i-- > 0;) {
    right[static_cast<std::size_t>(i)] = running;
    running = running * select(self, dim, i);
  }
  return stack(left, dim) * stack(right, dim);
}

bool any_zero(const Tensor& self) { return at::item(any(self == 0)).toBool(); }

}  // namespace

Tensor prod_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  if (self.numel() == 0) return zeros_like(self);
  if (self.dim() == 0) return grad;
  if (!any_zero(self)) return grad * result / self;
  const Tensor flat = reshape(self, DimVector{-1});
  return grad * reshape(prod_of_others(flat, 0), self.sizes());
}

Tensor prod_backward(const Tensor& grad, const Tensor& self, const Tensor& result, std::int64_t dim, bool keepdim) {
  if (self.dim() == 0) return grad;
  if (self.numel() == 0) return zeros_like(self);
  const std::int64_t at = wrapped(dim, self.dim());
  const Tensor g = keepdim ? grad : unsqueeze(grad, at), r = keepdim ? result : unsqueeze(result, at);
  return any_zero(self) ? g * prod_of_others(self, at) : g * r / self;
}

Tensor evenly_distribute_backward(const Tensor& grad, const Tensor& input, const Tensor& value) {
  const bool is_nan = at::item(ne(value, value)).toBool();
  const Tensor mask = is_nan ? ne(input, input) : input == value;
  return mask * (grad / sum(mask));
}

// Elements that share the extreme value share its gradient.
Tensor scale_grad_by_count(const Tensor& grad, const Tensor& mask, IntArrayRef dims) { return (grad * mask) / sum(mask, dims, true); }

Tensor value_selecting_reduction_backward(const Tensor& grad, std::int64_t dim, const Tensor& indices, IntArrayRef sizes, bool keepdim) {
  const bool squeezed = !keepdim && !sizes.empty();
  const Tensor g = squeezed ? unsqueeze(grad, dim) : grad, at = squeezed ? unsqueeze(indices, dim) : indices;
  return scatter_add(new_zeros(g, sizes), dim, at, g);
}

}  // namespace tensorlib::autograd::generated::details
