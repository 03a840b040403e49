// sum, mean, prod, any, all, max, min and where those lie.
#include "native/ReduceOps.h"

#include "core/Dispatch.h"
#include "core/Exception.h"
#include "core/Warning.h"
#include "native/ReduceOpsUtils.h"
#include "native/Resize.h"
#include "native/TensorConversions.h"
#include "native/TensorShape.h"
#include "ops/Functions.h"
#include "ops/NativeFunctions.h"

namespace tensorlib::native {

DEFINE_DISPATCH(sum_stub);
DEFINE_DISPATCH(prod_stub);
DEFINE_DISPATCH(and_stub);
DEFINE_DISPATCH(or_stub);
DEFINE_DISPATCH(max_values_stub);
DEFINE_DISPATCH(min_values_stub);

namespace {

/// Reduces `self`, converted to `computed`, into a new tensor of that type whose elements start as `start`.
Tensor reduce(const Tensor& self, std::uint64_t mask, bool keepdim, ScalarType computed, const Scalar& start, reduce_fn kernel) {
  const Tensor result = empty(reduced_sizes(self, mask, keepdim), computed);
  fill_(result, start);
  if (self.numel() == 0) return result;
  const Tensor view = view_reduce_result(result, self, mask, keepdim);
  TensorIterator iter = TensorIterator::reduce_op(view, self);
  kernel(iter);
  return result;
}

/// Integers and bool are added as int64 unless another type is asked for.
ScalarType sum_type(const Tensor& self, std::optional<ScalarType> dtype) {
  return dtype ? *dtype : isIntegralType(self.dtype(), true) ? ScalarType::Long : self.dtype();
}

Tensor in_type(const Tensor& self, ScalarType dtype) { return self.dtype() == dtype ? self : to(self, dtype); }

// float32 is added up in float64 and rounded once: more exact than float32 in any order, and the same at every capability.
Tensor sum_over(const Tensor& self, std::uint64_t mask, bool keepdim, ScalarType dtype) {
  const ScalarType computed = isFloatingType(dtype) ? ScalarType::Double : ScalarType::Long;
  const bool as_it_is = self.dtype() == dtype && (self.dtype() == ScalarType::Float || self.dtype() == computed);
  const Tensor input = as_it_is ? self : in_type(in_type(self, dtype), dtype == ScalarType::Float ? dtype : computed);
  return in_type(reduce(input, mask, keepdim, computed, 0, sum_stub.get_call_ptr()), dtype);
}

Tensor& store(Tensor& out, const Tensor& result) {
  if (out.dtype() != result.dtype())
    raise(std::string("Expected out tensor to have dtype ") + toString(result.dtype()) + ", but got " + toString(out.dtype()) + " instead");
  resize_output(out, result.sizes());
  copy_(out, result);
  return out;
}

}  // namespace

Tensor sum(const Tensor& self, std::optional<ScalarType> dtype) {
  return sum_over(self, make_dim_mask(std::nullopt, self.dim()), false, sum_type(self, dtype));
}
Tensor sum(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
  return sum_over(self, make_dim_mask(dim, self.dim()), keepdim, sum_type(self, dtype));
}
Tensor& sum_out(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype, Tensor& out) {
  return store(out, sum(self, dim, keepdim, dtype ? dtype : out.dtype()));
}

Tensor mean(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
  const ScalarType type = dtype.value_or(self.dtype());
  if (!isFloatingType(type))
    raise(std::string("mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: ") +
          toString(type));
  const std::uint64_t mask = make_dim_mask(dim, self.dim());
  Tensor result = sum_over(self, mask, keepdim, type);
  const double count = static_cast<double>(reduced_count(self, mask));
  return at::div(result, wrapped_scalar_tensor(Scalar(count)));
}
Tensor mean(const Tensor& self, std::optional<ScalarType> dtype) { return mean(self, std::nullopt, false, dtype); }
Tensor& mean_out(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype, Tensor& out) {
  return store(out, mean(self, dim, keepdim, dtype ? dtype : out.dtype()));
}

namespace {

/// The mean square distance from the mean, computed in float64 and rounded once; `root` for its root.
Tensor spread(const Tensor& self, OptionalIntArrayRef dim, std::optional<std::int64_t> correction, bool keepdim, bool root) {
  if (!isFloatingType(self.dtype())) raise("std and var only support floating point and complex dtypes");
  const std::uint64_t mask = make_dim_mask(dim, self.dim());
  const Tensor input = in_type(self, ScalarType::Double);
  const std::int64_t count = reduced_count(self, mask), free = std::max<std::int64_t>(count - correction.value_or(1), 0);
  if (free == 0) warn(root ? "std(): degrees of freedom is <= 0" : "var(): degrees of freedom is <= 0");
  const Tensor middle = at::div(sum_over(input, mask, true, ScalarType::Double), wrapped_scalar_tensor(Scalar(static_cast<double>(count))));
  const Tensor away = at::sub(input, middle);
  const Tensor squares = sum_over(at::mul(away, away), mask, keepdim, ScalarType::Double);
  const Tensor result = at::div(squares, wrapped_scalar_tensor(Scalar(static_cast<double>(free))));
  return in_type(root ? at::sqrt(result) : result, self.dtype());
}

}  // namespace

Tensor var(const Tensor& self, OptionalIntArrayRef dim, std::optional<std::int64_t> correction, bool keepdim) {
  return spread(self, dim, correction, keepdim, false);
}
Tensor std(const Tensor& self, OptionalIntArrayRef dim, std::optional<std::int64_t> correction, bool keepdim) {
  return spread(self, dim, correction, keepdim, true);
}
Tensor var(const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
  return at::var(self, dim, std::optional<std::int64_t>(unbiased ? 1 : 0), keepdim);
}
Tensor std(const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
  return at::std(self, dim, std::optional<std::int64_t>(unbiased ? 1 : 0), keepdim);
}
Tensor var(const Tensor& self, bool unbiased) {
  return at::var(self, OptionalIntArrayRef(), std::optional<std::int64_t>(unbiased ? 1 : 0), false);
}
Tensor std(const Tensor& self, bool unbiased) {
  return at::std(self, OptionalIntArrayRef(), std::optional<std::int64_t>(unbiased ? 1 : 0), false);
}

Tensor prod(const Tensor& self, std::optional<ScalarType> dtype) {
  const ScalarType type = sum_type(self, dtype);
  return reduce(in_type(self, type), make_dim_mask(std::nullopt, self.dim()), false, type, 1, prod_stub.get_call_ptr());
}
Tensor prod(const Tensor& self, std::int64_t dim, bool keepdim, std::optional<ScalarType> dtype) {
  const ScalarType type = sum_type(self, dtype);
  return reduce(in_type(self, type), make_dim_mask(IntArrayRef(&dim, 1), self.dim()), keepdim, type, 1, prod_stub.get_call_ptr());
}

namespace {

// A uint8 tensor's answer is a uint8 tensor, for PyTorch's old masks' sake.
Tensor truth(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, bool start, reduce_fn kernel) {
  const Tensor result = reduce(in_type(self, ScalarType::Bool), make_dim_mask(dim, self.dim()), keepdim, ScalarType::Bool, start, kernel);
  return self.dtype() == ScalarType::Byte ? to(result, ScalarType::Byte) : result;
}

}  // namespace

Tensor any(const Tensor& self) { return truth(self, std::nullopt, false, false, or_stub.get_call_ptr()); }
Tensor any(const Tensor& self, std::int64_t dim, bool keepdim) {
  return truth(self, IntArrayRef(&dim, 1), keepdim, false, or_stub.get_call_ptr());
}
Tensor all(const Tensor& self) { return truth(self, std::nullopt, false, true, and_stub.get_call_ptr()); }
Tensor all(const Tensor& self, std::int64_t dim, bool keepdim) {
  return truth(self, IntArrayRef(&dim, 1), keepdim, true, and_stub.get_call_ptr());
}

namespace {

void check_not_empty(const Tensor& self, std::uint64_t mask, const char* name, bool names_dim) {
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    if (!(mask >> d & 1) || self.size(d) != 0) continue;
    if (names_dim) throw IndexError(std::string(name) + "(): Expected reduction dim " + std::to_string(d) + " to have non-zero size.");
    raise(std::string(name) +
          "(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' "
          "argument.");
  }
}

/// Starts from the first element of what goes into each output.
Tensor extremum(const Tensor& self, OptionalIntArrayRef dims, bool keepdim, const char* name, reduce_fn kernel) {
  const std::uint64_t mask = make_dim_mask(dims, self.dim());
  check_not_empty(self, mask, name, dims && !dims->empty());
  DimVector sizes;
  for (std::int64_t d = 0; d < self.dim(); ++d) sizes.push_back(mask >> d & 1 ? 1 : self.size(d));
  const Tensor first = as_strided(self, sizes, self.strides(), self.storage_offset());
  Tensor result = empty(sizes, self.dtype());
  copy_(result, first);
  if (self.numel() > 0) {
    TensorIterator iter = TensorIterator::reduce_op(view_reduce_result(result, self, mask, true), self);
    kernel(iter);
  }
  return keepdim ? result : as_strided(result, reduced_sizes(self, mask, false), contiguous_strides(reduced_sizes(self, mask, false)), 0);
}

struct Lane {
  const char* data;
  std::int64_t size, stride;
};

/// Where along a dimension the winner stands: the first one, or the first nan.
template <typename scalar_t>
std::int64_t winner(const Lane& lane, bool largest) {
  std::int64_t best = 0;
  const auto at = [&](std::int64_t i) { return *reinterpret_cast<const scalar_t*>(lane.data + i * lane.stride); };
  for (std::int64_t i = 0; i < lane.size && at(best) == at(best); ++i) {
    if (at(i) != at(i) || (largest ? at(best) < at(i) : at(i) < at(best))) best = i;
  }
  return best;
}

/// Calls use(lane, index) for each position of the other dimensions, in row-major order.
template <typename Use>
void for_each_lane(const Tensor& self, std::int64_t dim, Use use) {
  DimVector index(static_cast<std::size_t>(self.dim()), 0);
  const std::int64_t count = self.numel() == 0 ? 0 : self.numel() / self.size(dim);
  for (std::int64_t lane = 0; lane < count; ++lane) {
    std::int64_t offset = 0;
    for (std::int64_t d = 0; d < self.dim(); ++d) offset += index[d] * self.stride(d);
    use(Lane{self.data() + offset * self.element_size(), self.size(dim), self.stride(dim) * self.element_size()}, lane);
    for (std::int64_t d = self.dim() - 1; d >= 0; --d) {
      if (d == dim) continue;
      if (++index[d] < self.size(d)) break;
      index[d] = 0;
    }
  }
}

Tensor arg_extremum(const Tensor& self, std::optional<std::int64_t> dim, bool keepdim, bool largest, const char* name) {
  const Tensor input = dim ? self : contiguous(self);
  const std::int64_t along = dim && self.dim() > 0 ? wrap_dim(*dim, self.dim()) : 0;
  if (dim && self.dim() == 0) wrap_dim(*dim, 1);
  const Tensor lanes = self.dim() == 0 || !dim ? as_strided(input, DimVector{input.numel()}, DimVector{1}, input.storage_offset()) : input;
  const std::uint64_t mask = std::uint64_t{1} << along;
  check_not_empty(lanes, mask, name, dim.has_value());
  DimVector sizes = dim ? reduced_sizes(self, self.dim() ? mask : 0, keepdim) : DimVector();
  if (!dim && keepdim) sizes = DimVector(static_cast<std::size_t>(self.dim()), 1);
  const Tensor result = empty(sizes, ScalarType::Long);
  auto* out = result.data_ptr<std::int64_t>();
  TENSORLIB_DISPATCH_ALL_TYPES(self.dtype(), name, {
    for_each_lane(lanes, along, [&](const Lane& lane, std::int64_t i) { out[i] = winner<scalar_t>(lane, largest); });
  });
  return result;
}

std::tuple<Tensor, Tensor> extremum_with_index(const Tensor& self, std::int64_t dim, bool keepdim, bool largest, const char* name) {
  const Tensor lanes = self.dim() == 0 ? as_strided(self, DimVector{1}, DimVector{1}, self.storage_offset()) : self;
  const std::int64_t along = wrap_dim(dim, lanes.dim());
  const std::uint64_t mask = std::uint64_t{1} << along;
  check_not_empty(lanes, mask, name, true);
  const DimVector sizes = self.dim() == 0 ? DimVector() : reduced_sizes(self, mask, keepdim);
  const Tensor values = empty(sizes, self.dtype()), indices = empty(sizes, ScalarType::Long);
  auto* places = indices.data_ptr<std::int64_t>();
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(self.dtype(), name, {
    auto* out = values.data_ptr<scalar_t>();
    for_each_lane(lanes, along, [&](const Lane& lane, std::int64_t i) {
      places[i] = winner<scalar_t>(lane, largest);
      out[i] = *reinterpret_cast<const scalar_t*>(lane.data + places[i] * lane.stride);
    });
  });
  return {values, indices};
}

}  // namespace

Tensor max(const Tensor& self) { return extremum(self, std::nullopt, false, "max", max_values_stub.get_call_ptr()); }
Tensor min(const Tensor& self) { return extremum(self, std::nullopt, false, "min", min_values_stub.get_call_ptr()); }
Tensor amax(const Tensor& self, IntArrayRef dim, bool keepdim) {
  return extremum(self, dim, keepdim, "amax", max_values_stub.get_call_ptr());
}
Tensor amin(const Tensor& self, IntArrayRef dim, bool keepdim) {
  return extremum(self, dim, keepdim, "amin", min_values_stub.get_call_ptr());
}
std::tuple<Tensor, Tensor> max(const Tensor& self, std::int64_t dim, bool keepdim) {
  return extremum_with_index(self, dim, keepdim, true, "max");
}
std::tuple<Tensor, Tensor> min(const Tensor& self, std::int64_t dim, bool keepdim) {
  return extremum_with_index(self, dim, keepdim, false, "min");
}
Tensor max(const Tensor& self, const Tensor& other) { return at::maximum(self, other); }
Tensor min(const Tensor& self, const Tensor& other) { return at::minimum(self, other); }
Tensor argmax(const Tensor& self, std::optional<std::int64_t> dim, bool keepdim) {
  return arg_extremum(self, dim, keepdim, true, "argmax");
}
Tensor argmin(const Tensor& self, std::optional<std::int64_t> dim, bool keepdim) {
  return arg_extremum(self, dim, keepdim, false, "argmin");
}

}  // namespace tensorlib::native
