#include "native/ReduceOpsUtils.h"

#include "core/Exception.h"
#include "native/TensorShape.h"

namespace tensorlib::native {

std::uint64_t make_dim_mask(OptionalIntArrayRef dims, std::int64_t ndim) {
  if (ndim > 64) raise("only tensors with up to 64 dims are supported");
  if (!dims || dims->empty()) return ndim == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << ndim) - 1;
  std::uint64_t mask = 0;
  for (const std::int64_t dim : *dims) {
    const std::uint64_t bit = std::uint64_t{1} << (ndim == 0 ? wrap_dim(dim, 1) : wrap_dim(dim, ndim));
    if (mask & bit) raise("dim " + std::to_string(dim) + " appears multiple times in the list of dims");
    mask |= bit;
  }
  return mask;
}

DimVector reduced_sizes(const Tensor& self, std::uint64_t mask, bool keepdim) {
  DimVector sizes;
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    if (!(mask >> d & 1)) {
      sizes.push_back(self.size(d));
    } else if (keepdim) {
      sizes.push_back(1);
    }
  }
  return sizes;
}

Tensor view_reduce_result(const Tensor& result, const Tensor& self, std::uint64_t mask, bool keepdim) {
  DimVector strides;
  std::int64_t at = 0;
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    const bool reduced = mask >> d & 1;
    strides.push_back(reduced ? 0 : result.stride(at));
    if (!reduced || keepdim) ++at;
  }
  return as_strided(result, self.sizes(), strides, result.storage_offset());
}

std::int64_t reduced_count(const Tensor& self, std::uint64_t mask) {
  std::int64_t count = 1;
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    if (mask >> d & 1) count *= self.size(d);
  }
  return count;
}

}  // namespace tensorlib::native
