#include "dispatch/IValue.h"

#include <cstdio>

namespace tensorlib {
namespace {

struct Describe {
  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(const Tensor& tensor) const {
    return tensor.defined() ? std::string("Tensor ") + toString(tensor.dtype()) + " " + toString(tensor.sizes()) : "undefined Tensor";
  }
  std::string operator()(const Scalar& scalar) const {
    return scalar.isFloatingPoint() ? number(scalar.toDouble()) : std::to_string(scalar.toLong());
  }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return number(value); }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(const std::string& value) const { return "'" + value + "'"; }
  std::string operator()(ScalarType value) const { return toString(value); }
  std::string operator()(const std::vector<std::int64_t>& value) const { return toString(IntArrayRef(value)); }
  std::string operator()(const std::vector<Tensor>& value) const { return list(value); }
  std::string operator()(const std::vector<std::optional<Tensor>>& value) const { return list(value); }
  std::string operator()(Generator) const { return "Generator"; }
  std::string operator()(const std::optional<Tensor>& value) const { return value ? (*this)(*value) : "None"; }

 private:
  static std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
  }
  template <typename Values>
  std::string list(const Values& values) const {
    std::string text = "[";
    for (const auto& value : values) text += (text.size() > 1 ? ", " : "") + (*this)(value);
    return text + "]";
  }
};

}  // namespace

std::string toString(const IValue& value) { return std::visit(Describe(), value); }

}  // namespace tensorlib
