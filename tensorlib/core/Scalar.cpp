#include "core/Scalar.h"

#include <charconv>

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

std::string Scalar::str() const {
  if (tag_ == Tag::Bool) return v_.i ? "True" : "False";
  if (tag_ == Tag::Int) return std::to_string(v_.i);
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, v_.d).ptr;
  return std::string(text, end);
}

}  // namespace tensorlib
