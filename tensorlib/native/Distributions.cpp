#include "native/Distributions.h"

#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>

#include "core/Convert.h"
#include "core/Dispatch.h"
#include "core/Exception.h"
#include "native/Normals.h"
#include "native/TensorConversions.h"
#include "native/TensorIterator.h"
#include "ops/NativeFunctions.h"

namespace tensorlib::native {

namespace {

CPUGenerator& or_default(const std::optional<Generator>& generator) { return generator && *generator ? **generator : default_generator(); }

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", value);
  return buffer;
}

/// Elements of self in the order of memory, each from draw().
template <typename scalar_t, typename Draw>
void fill_serially(const Tensor& self, Draw draw) {
  TensorIterator iter = TensorIterator::nullary_op(self);
  if (iter.numel() == 0) return;
  iter.serial_for_each(
      [&](char** data, const std::int64_t* strides, std::int64_t size0, std::int64_t size1) {
        for (std::int64_t row = 0; row < size1; ++row) {
          char* place = data[0] + row * strides[1];
          for (std::int64_t i = 0; i < size0; ++i) *reinterpret_cast<scalar_t*>(place + i * strides[0]) = draw();
        }
      },
      0, iter.numel());
}

float fused_multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
double fused_multiply_add(double a, double b, double c) { return __builtin_fma(a, b, c); }

template <typename T>
void fill_normal(const Tensor& self, T mean, T std, CPUGenerator& generator) {
  if (self.numel() >= normal_block && self.is_contiguous()) {
    normal_blocks(self.data_ptr<T>(), self.numel(), mean, std, generator);
    return;
  }
  // In double whatever the type, then rounded.
  fill_serially<T>(self, [&] { return static_cast<T>(__builtin_fma(single_normal(generator), double{std}, double{mean})); });
}

void check_uniform_bounds(ScalarType dtype, double from, double to) {
  TENSORLIB_DISPATCH_FLOATING_TYPES(dtype, "check_uniform_bounds", {
    using limits = std::numeric_limits<scalar_t>;
    const char* name = sizeof(scalar_t) == 4 ? "float" : "double";
    const auto outside = [](double bound) { return !(bound >= limits::lowest() && bound <= limits::max()); };
    if (outside(from)) raise(std::string("from is out of bounds for ") + name);
    if (outside(to)) raise(std::string("to is out of bounds for ") + name);
    if (from > to) raise("uniform_ expects to return a [from, to) range, but found from=" + text(from) + " > to=" + text(to));
    if (to - from > limits::max()) {
      raise(std::string("uniform_ expects to-from <= std::numeric_limits<") + toString(dtype) + ">::max(), but found to=" + text(to) +
            " and from=" + text(from) + " which result in to-from to exceed the limit");
    }
  });
}

void check_probability(double p) {
  if (!(p >= 0 && p <= 1)) raise("bernoulli_ expects p to be in [0, 1], but got p=" + text(p));
}

void check_random_bounds(ScalarType dtype, std::int64_t from, std::int64_t to) {
  if (from >= to) {
    raise("random_ expects 'from' to be less than 'to', but got from=" + std::to_string(from) + " >= to=" + std::to_string(to));
  }
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(dtype, "random_", {
    // A floating type holds the integers that its mantissa has room for, and the ends of the range at least.
    const auto outside = [](std::int64_t bound) {
      if constexpr (std::is_floating_point_v<scalar_t>) return false;
      return bound < static_cast<std::int64_t>(std::numeric_limits<scalar_t>::lowest()) ||
             bound > static_cast<std::int64_t>(std::numeric_limits<scalar_t>::max());
    };
    if (outside(from)) raise(std::string("from is out of bounds for ") + pythonName(dtype));
    if (outside(to - 1)) raise(std::string("to - 1 is out of bounds for ") + pythonName(dtype));
  });
}

template <typename T>
void fill_standard(T* data, std::int64_t n, CPUGenerator& generator) {
  if (n >= normal_block) return normal_blocks(data, n, T(0), T(1), generator);
  for (std::int64_t i = 0; i < n; ++i) data[i] = static_cast<T>(single_normal(generator));
}

}  // namespace

void normal_fill(float* data, std::int64_t n, CPUGenerator& generator) { fill_standard(data, n, generator); }
void normal_fill(double* data, std::int64_t n, CPUGenerator& generator) { fill_standard(data, n, generator); }

Tensor& normal_(Tensor& self, double mean, double std, const std::optional<Generator>& generator_) {
  if (!(std >= 0)) raise("normal expects std >= 0.0, but found std " + text(std));
  CPUGenerator& generator = or_default(generator_);
  const std::lock_guard lock(generator.mutex());
  TENSORLIB_DISPATCH_FLOATING_TYPES(self.dtype(), "normal_kernel_cpu",
                                    { fill_normal<scalar_t>(self, static_cast<scalar_t>(mean), static_cast<scalar_t>(std), generator); });
  return self;
}

Tensor& uniform_(Tensor& self, double from_, double to_, const std::optional<Generator>& generator_) {
  check_uniform_bounds(self.dtype(), from_, to_);
  CPUGenerator& generator = or_default(generator_);
  const std::lock_guard lock(generator.mutex());
  TENSORLIB_DISPATCH_FLOATING_TYPES(self.dtype(), "uniform_kernel_cpu", {
    const auto from = static_cast<scalar_t>(from_);
    const auto width = static_cast<scalar_t>(static_cast<scalar_t>(to_) - from);
    fill_serially<scalar_t>(self, [&] { return fused_multiply_add(standard_uniform<scalar_t>(generator), width, from); });
  });
  return self;
}

Tensor& bernoulli_(Tensor& self, double p, const std::optional<Generator>& generator_) {
  check_probability(p);
  CPUGenerator& generator = or_default(generator_);
  const std::lock_guard lock(generator.mutex());
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(self.dtype(), "bernoulli_scalar_cpu_", {
    fill_serially<scalar_t>(self, [&] { return static_cast<scalar_t>(standard_uniform<double>(generator) < p); });
  });
  return self;
}

namespace {

/// One uniform of the probability's own type per element, in the order of self's memory.
template <typename scalar_t, typename p_t>
void fill_bernoulli(const Tensor& self, const Tensor& p, CPUGenerator& generator) {
  TensorIterator iter = TensorIteratorConfig().add_output(self).add_input(p).check_all_same_dtype(false).resize_outputs(false).build();
  if (iter.numel() == 0) return;
  iter.serial_for_each(
      [&](char** data, const std::int64_t* strides, std::int64_t size0, std::int64_t size1) {
        for (std::int64_t row = 0; row < size1; ++row) {
          for (std::int64_t i = 0; i < size0; ++i) {
            const p_t wanted = *reinterpret_cast<const p_t*>(data[1] + row * strides[3] + i * strides[1]);
            const bool one = standard_uniform<p_t>(generator) < wanted;
            *reinterpret_cast<scalar_t*>(data[0] + row * strides[2] + i * strides[0]) = static_cast<scalar_t>(one);
          }
        }
      },
      0, iter.numel());
}

void check_probabilities(const Tensor& p) {
  const Tensor all = to(p, ScalarType::Double);
  const double* data = all.data_ptr<double>();
  for (std::int64_t i = 0; i < all.numel(); ++i) check_probability(data[i]);
}

}  // namespace

Tensor& bernoulli_(Tensor& self, const Tensor& p, const std::optional<Generator>& generator_) {
  if (!isFloatingType(p.dtype())) report_unsupported_type("bernoulli_tensor_cpu_p_", p.dtype());
  check_probabilities(p);
  CPUGenerator& generator = or_default(generator_);
  const std::lock_guard lock(generator.mutex());
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(self.dtype(), "bernoulli_tensor_cpu_self_", {
    if (p.dtype() == ScalarType::Double) {
      fill_bernoulli<scalar_t, double>(self, p, generator);
    } else {
      fill_bernoulli<scalar_t, float>(self, p, generator);
    }
  });
  return self;
}

Tensor bernoulli(const Tensor& self, const std::optional<Generator>& generator) {
  Tensor result = empty_like(self, std::nullopt);
  return bernoulli_(result, self, generator);
}

Tensor& random_(Tensor& self, std::int64_t from, std::int64_t to, const std::optional<Generator>& generator_) {
  check_random_bounds(self.dtype(), from, to);
  CPUGenerator& generator = or_default(generator_);
  const std::lock_guard lock(generator.mutex());
  const std::uint64_t range = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  const auto draw = [&] {
    const std::uint64_t number = range >= std::uint64_t{1} << 32 ? generator.random64() % range : generator.random() % range;
    return static_cast<std::int64_t>(number + static_cast<std::uint64_t>(from));
  };
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(self.dtype(), "random_from_to_kernel_cpu",
                                        { fill_serially<scalar_t>(self, [&] { return convert<scalar_t>(draw()); }); });
  return self;
}

Tensor& random_(Tensor& self, std::int64_t from, std::optional<std::int64_t> to, const std::optional<Generator>& generator) {
  if (!to) raise("random_ needs an upper bound: random_(from, to), or random_(to) from 0 on");
  return random_(self, from, *to, generator);
}
Tensor& random_(Tensor& self, std::int64_t to, const std::optional<Generator>& generator) { return random_(self, 0, to, generator); }

Tensor rand(IntArrayRef size, const std::optional<Generator>& generator, std::optional<ScalarType> dtype) {
  Tensor result = tensorlib::empty(size, dtype.value_or(get_default_dtype()));
  return uniform_(result, 0, 1, generator);
}
Tensor rand(IntArrayRef size, std::optional<ScalarType> dtype) { return rand(size, std::nullopt, dtype); }

Tensor randn(IntArrayRef size, const std::optional<Generator>& generator, std::optional<ScalarType> dtype) {
  Tensor result = tensorlib::empty(size, dtype.value_or(get_default_dtype()));
  return normal_(result, 0, 1, generator);
}
Tensor randn(IntArrayRef size, std::optional<ScalarType> dtype) { return randn(size, std::nullopt, dtype); }

Tensor rand_like(const Tensor& self, std::optional<ScalarType> dtype) {
  Tensor result = empty_like(self, dtype);
  return uniform_(result, 0, 1, std::nullopt);
}
Tensor randn_like(const Tensor& self, std::optional<ScalarType> dtype) {
  Tensor result = empty_like(self, dtype);
  return normal_(result, 0, 1, std::nullopt);
}

Tensor randint(std::int64_t low, std::int64_t high, IntArrayRef size, const std::optional<Generator>& generator,
               std::optional<ScalarType> dtype) {
  Tensor result = tensorlib::empty(size, dtype.value_or(ScalarType::Long));
  return random_(result, low, high, generator);
}
Tensor randint(std::int64_t low, std::int64_t high, IntArrayRef size, std::optional<ScalarType> dtype) {
  return randint(low, high, size, std::nullopt, dtype);
}
Tensor randint(std::int64_t high, IntArrayRef size, const std::optional<Generator>& generator, std::optional<ScalarType> dtype) {
  return randint(0, high, size, generator, dtype);
}
Tensor randint(std::int64_t high, IntArrayRef size, std::optional<ScalarType> dtype) { return randint(0, high, size, std::nullopt, dtype); }

Tensor randperm(std::int64_t n, std::optional<ScalarType> dtype) { return randperm(n, std::nullopt, dtype); }

Tensor randperm(std::int64_t n, const std::optional<Generator>& generator_, std::optional<ScalarType> dtype) {
  const ScalarType type = dtype.value_or(ScalarType::Long);
  if (n < 0) raise("n must be non-negative, got" + std::to_string(n));
  if (n > 0 && type != ScalarType::Bool) check_convertible(Scalar(n), type);
  const Tensor result = tensorlib::empty(DimVector{n}, type);
  CPUGenerator& generator = or_default(generator_);
  const std::lock_guard lock(generator.mutex());
  TENSORLIB_DISPATCH_ALL_TYPES(type, "randperm", {
    scalar_t* data = result.data_ptr<scalar_t>();
    for (std::int64_t i = 0; i < n; ++i) data[i] = static_cast<scalar_t>(i);
    for (std::int64_t i = 0; i + 1 < n; ++i) std::swap(data[i], data[i + generator.random() % (n - i)]);
  });
  return result;
}

namespace {

void check_std(const Tensor& std) {
  if (!isFloatingType(std.dtype())) return;
  const Tensor all = to(std, ScalarType::Double);
  for (std::int64_t i = 0; i < all.numel(); ++i) {
    if (!(all.data_ptr<double>()[i] >= 0)) raise("normal expects all elements of std >= 0.0");
  }
}

template <typename scalar_t>
void scale_and_shift(const Tensor& result, const Tensor& mean, const Tensor& std) {
  TensorIterator iter = TensorIteratorConfig().add_output(result).add_input(mean).add_input(std).resize_outputs(false).build();
  if (iter.numel() == 0) return;
  iter.serial_for_each(
      [](char** data, const std::int64_t* strides, std::int64_t size0, std::int64_t size1) {
        const auto at = [&](int operand, std::int64_t row, std::int64_t i) {
          return reinterpret_cast<scalar_t*>(data[operand] + row * strides[3 + operand] + i * strides[operand]);
        };
        for (std::int64_t row = 0; row < size1; ++row) {
          for (std::int64_t i = 0; i < size0; ++i) *at(0, row, i) = *at(0, row, i) * *at(2, row, i) + *at(1, row, i);
        }
      },
      0, iter.numel());
}

Tensor number(double value, ScalarType dtype) { return to(tensorlib::scalar_tensor(value), dtype); }

}  // namespace

Tensor normal(const Tensor& mean, const Tensor& std, const std::optional<Generator>& generator) {
  check_std(std);
  const ScalarType type = promoteTypes(mean.dtype(), std.dtype());
  Tensor result = tensorlib::empty(infer_size(mean.sizes(), std.sizes()), type);
  normal_(result, 0, 1, generator);
  TENSORLIB_DISPATCH_FLOATING_TYPES(type, "normal", { scale_and_shift<scalar_t>(result, to(mean, type), to(std, type)); });
  return result;
}

Tensor normal(const Tensor& mean, double std, const std::optional<Generator>& generator) {
  if (!(std >= 0)) raise("normal expects std >= 0.0, but found std " + text(std));
  return normal(mean, number(std, mean.dtype()), generator);
}
Tensor normal(double mean, const Tensor& std, const std::optional<Generator>& generator) {
  return normal(number(mean, std.dtype()), std, generator);
}

Tensor normal(double mean, double std, IntArrayRef size, const std::optional<Generator>& generator, std::optional<ScalarType> dtype) {
  Tensor result = tensorlib::empty(size, dtype.value_or(get_default_dtype()));
  return normal_(result, mean, std, generator);
}

}  // namespace tensorlib::native
