// Numbers in arithmetic progression.
#include <cmath>

#include "core/Convert.h"
#include "core/Dispatch.h"
#include "core/Exception.h"
#include "native/Resize.h"
#include "native/TensorConversions.h"
#include "native/TensorFactories.h"

namespace tensorlib::native {

namespace {

std::string text(const Scalar& value) {
  if (!value.isFloatingPoint()) return std::to_string(value.toLong());
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", value.toDouble());
  return buffer;
}

/// Raises Error unless start, end and step make a finite progression.
void check_range(const Scalar& start, const Scalar& end, const Scalar& step) {
  const double from = start.toDouble(), to = end.toDouble(), by = step.toDouble();
  if (by == 0 || std::isnan(by)) raise("step must be nonzero");
  if (!std::isfinite(from) || !std::isfinite(to)) raise("unsupported range: " + text(start) + " -> " + text(end));
  if (!((by > 0 && to >= from) || (by < 0 && to <= from))) raise("upper bound and lower bound inconsistent with step sign");
}

/// How many numbers there are: ceil((end - start) / step), for integers without rounding.
std::int64_t range_size(const Scalar& start, const Scalar& end, const Scalar& step, ScalarType type) {
  check_range(start, end, step);
  if (type == ScalarType::Long) {
    const __int128 distance = static_cast<__int128>(end.toLong()) - start.toLong(), by = step.toLong();
    if (by == 0) raise("step must be nonzero");
    const __int128 size = (distance + by - (by > 0 ? 1 : -1)) / by;
    if (size > max_elements) raise("invalid size, possible overflow?");
    return static_cast<std::int64_t>(size);
  }
  const double size = std::ceil((end.toDouble() - start.toDouble()) / step.toDouble());
  if (!(size >= 0 && size <= static_cast<double>(max_elements))) raise("invalid size, possible overflow?");
  return static_cast<std::int64_t>(size);
}

ScalarType range_dtype(const Scalar& start, const Scalar& end, const Scalar& step, std::optional<ScalarType> dtype) {
  if (dtype) return *dtype;
  return start.isFloatingPoint() || end.isFloatingPoint() || step.isFloatingPoint() ? get_default_dtype() : ScalarType::Long;
}

/// Elements of `out` in row-major order from `number(i)`.
template <typename scalar_t, typename Number>
void write(const Tensor& out, Number number) {
  const Tensor dense = out.is_contiguous() ? out : tensorlib::empty(out.sizes(), out.dtype());
  scalar_t* data = dense.data_ptr<scalar_t>();
  for (std::int64_t i = 0; i < dense.numel(); ++i) data[i] = number(i);
  copy_(out, dense);
}

/// The same for floating-point types, with PyTorch's bits at AVX2: it computes vectors of 32 bytes, two at a time, of which only the first
/// element is `number(i)`; the others are `lane(first, k)`, k places on. What fills no two vectors is `number(i)` throughout. (With several
/// threads PyTorch starts anew in each one's part, from 32,768 elements on; here the thread count changes nothing.)
template <typename scalar_t, typename Number, typename Lane>
void write_vectors(const Tensor& out, Number number, Lane lane) {
  constexpr std::int64_t width = 32 / sizeof(scalar_t);
  const Tensor dense = out.is_contiguous() ? out : tensorlib::empty(out.sizes(), out.dtype());
  scalar_t* data = dense.data_ptr<scalar_t>();
  const std::int64_t in_vectors = dense.numel() / (2 * width) * (2 * width);
  for (std::int64_t i = 0; i < in_vectors; i += width) {
    const auto first = static_cast<scalar_t>(number(i));
    data[i] = first;
    for (std::int64_t k = 1; k < width; ++k) data[i + k] = static_cast<scalar_t>(lane(first, k));
  }
  for (std::int64_t i = in_vectors; i < dense.numel(); ++i) data[i] = static_cast<scalar_t>(number(i));
  copy_(out, dense);
}

}  // namespace

Tensor& arange_out(const Scalar& start, const Scalar& end, const Scalar& step, Tensor& out) {
  TENSORLIB_DISPATCH_ALL_TYPES(out.dtype(), "arange_cpu", {
    using wide_t = std::conditional_t<std::is_floating_point_v<scalar_t>, double, std::int64_t>;
    const std::int64_t size = range_size(start, end, step, out.dtype());
    const wide_t first = start.to<wide_t>();
    const wide_t by = step.to<wide_t>();
    start.to<scalar_t>();
    if (out.numel() != size) resize_output(out, DimVector{size});
    if constexpr (std::is_floating_point_v<scalar_t>) {
      write_vectors<scalar_t>(
          out, [first, by](std::int64_t i) { return std::fma(by, static_cast<double>(i), first); },
          [by](double vector_first, std::int64_t k) { return std::fma(static_cast<double>(k), by, vector_first); });
    } else {
      write<scalar_t>(out,
                      [first, by](std::int64_t i) { return convert<scalar_t>(static_cast<wide_t>(first + by * static_cast<wide_t>(i))); });
    }
  });
  return out;
}

Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, std::optional<ScalarType> dtype) {
  Tensor result = tensorlib::empty(DimVector{0}, range_dtype(start, end, step, dtype));
  return arange_out(start, end, step, result);
}
Tensor arange(const Scalar& start, const Scalar& end, std::optional<ScalarType> dtype) { return arange(start, end, 1, dtype); }
Tensor arange(const Scalar& end, std::optional<ScalarType> dtype) { return arange(0, end, 1, dtype); }

Tensor& linspace_out(const Scalar& start, const Scalar& end, std::int64_t steps, Tensor& out) {
  if (steps < 0) raise("number of steps must be non-negative");
  if (out.numel() != steps) resize_output(out, DimVector{steps});
  TENSORLIB_DISPATCH_ALL_TYPES(out.dtype(), "linspace_cpu", {
    using step_t = std::conditional_t<std::is_floating_point_v<scalar_t>, scalar_t, double>;
    const scalar_t first = start.to<scalar_t>();
    const scalar_t last = end.to<scalar_t>();
    const step_t step = steps > 1 ? (static_cast<step_t>(last) - static_cast<step_t>(first)) / static_cast<step_t>(steps - 1) : step_t(0);
    const auto number = [=](std::int64_t i) {
      const bool from_start = i < steps / 2 || steps == 1;
      if (from_start) return std::fma(step, static_cast<step_t>(i), static_cast<step_t>(first));
      return std::fma(-step, static_cast<step_t>(steps - 1 - i), static_cast<step_t>(last));
    };
    if constexpr (std::is_floating_point_v<scalar_t>) {
      write_vectors<scalar_t>(out, number,
                              [step](scalar_t vector_first, std::int64_t k) { return vector_first + static_cast<scalar_t>(k) * step; });
    } else {
      write<scalar_t>(out, [&](std::int64_t i) { return convert<scalar_t>(number(i)); });
    }
  });
  return out;
}

Tensor linspace(const Scalar& start, const Scalar& end, std::int64_t steps, std::optional<ScalarType> dtype) {
  if (steps < 0) raise("number of steps must be non-negative");
  Tensor result = tensorlib::empty(DimVector{steps}, dtype.value_or(get_default_dtype()));
  return linspace_out(start, end, steps, result);
}

}  // namespace tensorlib::native
