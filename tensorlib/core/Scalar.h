// A number as Python gives it: an int, a float or a bool, not yet of any element type.
#pragma once

#include <cstdint>

#include "core/ScalarType.h"

namespace tensorlib {

class Scalar {
 public:
  enum class Tag : std::uint32_t { Double, Int, Bool };

  Scalar(double value) : tag_(Tag::Double) { v_.d = value; }
  Scalar(std::int64_t value) : tag_(Tag::Int) { v_.i = value; }
  Scalar(int value) : Scalar(static_cast<std::int64_t>(value)) {}
  Scalar(bool value) : tag_(Tag::Bool) { v_.i = value; }

  bool isFloatingPoint() const { return tag_ == Tag::Double; }

  /// The number as a float32 or float64, converted once, to nearest.
  float toFloat() const;
  double toDouble() const;

  /// The number as an element of `type` holds it, widened again: toDouble() of 2**24 + 1 in Float is 16777216.
  double roundedTo(ScalarType type) const;

  Scalar operator-() const;

 private:
  Tag tag_;
  union {
    double d;
    std::int64_t i;
  } v_;
};

}  // namespace tensorlib
