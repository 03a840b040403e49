#include "core/Scalar.h"

#include <cmath>
#include <limits>

#include "core/Convert.h"
#include "core/Dispatch.h"
#include "core/Exception.h"

namespace tensorlib {

namespace {

template <typename T>
constexpr const char* name_of = "";
template <>
constexpr const char* name_of<std::uint8_t> = "uint8_t";
template <>
constexpr const char* name_of<std::int8_t> = "int8_t";
template <>
constexpr const char* name_of<std::int16_t> = "int16_t";
template <>
constexpr const char* name_of<std::int32_t> = "int";
template <>
constexpr const char* name_of<std::int64_t> = "int64_t";
template <>
constexpr const char* name_of<float> = "float";
template <>
constexpr const char* name_of<double> = "double";

template <typename To>
bool overflows(double value) {
  using limits = std::numeric_limits<To>;
  if (std::isinf(value) && limits::has_infinity) return false;
  if (std::isnan(value)) return !limits::has_quiet_NaN;
  // The largest int64 is not a double: the bound rounds up to 2^63, which has no room.
  if constexpr (sizeof(To) == 8 && limits::is_integer) return !(value >= -0x1p63 && value < 0x1p63);
  return value < static_cast<double>(limits::lowest()) || value > static_cast<double>(limits::max());
}

template <typename To>
bool overflows(std::int64_t value) {
  using limits = std::numeric_limits<To>;
  if constexpr (!limits::is_integer) {
    return false;
  } else if constexpr (!limits::is_signed) {
    return value > limits::max() || value < -std::int64_t{limits::max()};
  } else {
    return value > std::int64_t{limits::max()} || value < std::int64_t{limits::min()};
  }
}

}  // namespace

ScalarType Scalar::type() const {
  return tag_ == Tag::Double ? ScalarType::Double : tag_ == Tag::Int ? ScalarType::Long : ScalarType::Bool;
}

bool Scalar::equal(double number) const { return tag_ == Tag::Double ? v_.d == number : static_cast<double>(v_.i) == number; }
bool Scalar::equal(std::int64_t number) const { return tag_ == Tag::Double ? v_.d == static_cast<double>(number) : v_.i == number; }

template <typename T>
T Scalar::cast() const {
  return tag_ == Tag::Double ? convert<T>(v_.d) : convert<T>(v_.i);
}

template <typename T>
T Scalar::to() const {
  if constexpr (!std::is_same_v<T, bool>) {
    if (tag_ == Tag::Double ? overflows<T>(v_.d) : overflows<T>(v_.i)) {
      raise(std::string("value cannot be converted to type ") + name_of<T> + " without overflow");
    }
  }
  return cast<T>();
}

#define TENSORLIB_INSTANTIATE(type, name)   \
  template type Scalar::cast<type>() const; \
  template type Scalar::to<type>() const;
TENSORLIB_FORALL_SCALAR_TYPES(TENSORLIB_INSTANTIATE)
#undef TENSORLIB_INSTANTIATE

double Scalar::roundedTo(ScalarType type) const { return type == ScalarType::Float ? static_cast<double>(cast<float>()) : cast<double>(); }

Scalar Scalar::operator-() const {
  if (isFloatingPoint()) return Scalar(-v_.d);
  // The smallest int64 has no negative: it becomes the float that is right.
  if (v_.i == INT64_MIN) return Scalar(-static_cast<double>(v_.i));
  return Scalar(-v_.i);
}

void check_convertible(const Scalar& number, ScalarType type) {
  TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(type, "check_convertible", { number.to<scalar_t>(); });
}

}  // namespace tensorlib
