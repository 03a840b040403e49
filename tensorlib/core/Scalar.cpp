#include "core/Scalar.h"

namespace tensorlib {

float Scalar::toFloat() const { return tag_ == Tag::Double ? static_cast<float>(v_.d) : static_cast<float>(v_.i); }

double Scalar::toDouble() const { return tag_ == Tag::Double ? v_.d : static_cast<double>(v_.i); }

double Scalar::roundedTo(ScalarType type) const { return type == ScalarType::Float ? static_cast<double>(toFloat()) : toDouble(); }

Scalar Scalar::operator-() const {
  if (isFloatingPoint()) return Scalar(-v_.d);
  // The smallest int64 has no negative: it becomes the float that is right.
  if (v_.i == INT64_MIN) return Scalar(-static_cast<double>(v_.i));
  return Scalar(-v_.i);
}

}  // namespace tensorlib
