// A number as Python gives it: an int, a float or a bool, not yet of any element type.
#pragma once

#include <concepts>
#include <cstdint>

#include "core/ScalarType.h"

namespace tensorlib {

class Scalar {
 public:
  enum class Tag : std::uint32_t { Double, Int, Bool };

  Scalar() : Scalar(std::int64_t{0}) {}
  Scalar(std::floating_point auto value) : tag_(Tag::Double) { v_.d = static_cast<double>(value); }
  Scalar(std::integral auto value) : tag_(Tag::Int) { v_.i = static_cast<std::int64_t>(value); }
  Scalar(bool value) : tag_(Tag::Bool) { v_.i = value; }

  bool isFloatingPoint() const { return tag_ == Tag::Double; }
  bool isIntegral(bool includeBool) const { return tag_ == Tag::Int || (includeBool && tag_ == Tag::Bool); }
  bool isBoolean() const { return tag_ == Tag::Bool; }
  /// Double, Long or Bool: the type of the 0-dim tensor that this number is to type promotion.
  ScalarType type() const;
  /// Whether it is this number; nan equals nothing.
  bool equal(double number) const;
  bool equal(std::int64_t number) const;

  /// The number as T, rounded or without its fraction; raises Error "value cannot be converted to type int8_t without overflow" where T has
  /// no room for it. Negative numbers down to -(max of T) wrap in an unsigned T, and anything can be a bool, as in PyTorch.
  template <typename T>
  T to() const;
  std::uint8_t toByte() const { return to<std::uint8_t>(); }
  std::int8_t toChar() const { return to<std::int8_t>(); }
  std::int16_t toShort() const { return to<std::int16_t>(); }
  std::int32_t toInt() const { return to<std::int32_t>(); }
  std::int64_t toLong() const { return to<std::int64_t>(); }
  float toFloat() const { return to<float>(); }
  double toDouble() const { return to<double>(); }
  bool toBool() const { return to<bool>(); }

  /// The number as T without a check: integers wrap, floats become infinite. What a number gives as an element.
  template <typename T>
  T cast() const;

  /// The number as an element of a floating `type` holds it, widened again: 2**24 + 1 in Float is 16777216. Never raises.
  double roundedTo(ScalarType type) const;

  Scalar operator-() const;

 private:
  Tag tag_;
  union {
    double d;
    std::int64_t i;
  } v_;
};

/// Raises what Scalar::to<T>() would for T of this type.
void check_convertible(const Scalar& number, ScalarType type);

}  // namespace tensorlib
