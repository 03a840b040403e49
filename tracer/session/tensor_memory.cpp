#include "session/tensor_memory.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <string_view>

namespace callpath::session {
namespace {

struct ElementType {
  std::string_view name;
  int size;
};
constexpr std::array<ElementType, 16> element_types{{{"uint8", 1},
                                                     {"int8", 1},
                                                     {"int16", 2},
                                                     {"int32", 4},
                                                     {"int64", 8},
                                                     {"float16", 2},
                                                     {"float32", 4},
                                                     {"float64", 8},
                                                     {"complex32", 4},
                                                     {"complex64", 8},
                                                     {"complex128", 16},
                                                     {"bool", 1},
                                                     {"qint8", 1},
                                                     {"quint8", 1},
                                                     {"qint32", 4},
                                                     {"bfloat16", 2}}};

// Names of C, of fixed-width types, and of engines' enumerators, the last part of which counts.
constexpr std::array<std::pair<std::string_view, std::string_view>, 40> type_names{{
    {"float", "float32"},       {"double", "float64"},    {"float32", "float32"},   {"float64", "float64"},
    {"Float", "float32"},       {"Double", "float64"},    {"char", "int8"},         {"int8_t", "int8"},
    {"int8", "int8"},           {"Char", "int8"},         {"uint8_t", "uint8"},     {"uint8", "uint8"},
    {"Byte", "uint8"},          {"short", "int16"},       {"int16_t", "int16"},     {"int16", "int16"},
    {"Short", "int16"},         {"int", "int32"},         {"int32_t", "int32"},     {"int32", "int32"},
    {"Int", "int32"},           {"long", "int64"},        {"int64_t", "int64"},     {"int64", "int64"},
    {"Long", "int64"},          {"bool", "bool"},         {"Bool", "bool"},         {"Half", "float16"},
    {"float16", "float16"},     {"BFloat16", "bfloat16"}, {"bfloat16", "bfloat16"}, {"ComplexFloat", "complex64"},
    {"complex64", "complex64"}, {"unsigned", "uint32"},   {"uint32_t", "uint32"},   {"uint64_t", "uint64"},
    {"size_t", "uint64"},       {"void*", "uint64"},      {"uint16_t", "uint16"},   {"unsigned char", "uint8"},
}};

std::string canonical_type(std::string_view name) {
  if (const auto colon = name.rfind(':'); colon != name.npos) name.remove_prefix(colon + 1);
  for (const auto& [given, canonical] : type_names)
    if (given == name || canonical == name) return std::string(canonical);
  return {};
}

template <class T>
std::string number_at(const Memory& memory, Address at) {
  const auto value = memory.get<T>(at);
  if (!value) return "not readable";
  if constexpr (sizeof(T) == 1) return fmt::format("{}", static_cast<int>(*value));
  return fmt::format("{}", *value);
}

}  // namespace

std::optional<Address> element_of(const SeenTensor& tensor, const std::vector<std::int64_t>& indices, std::string* why_not) {
  if (indices.size() != tensor.sizes.size() || tensor.strides.size() != tensor.sizes.size()) {
    *why_not =
        fmt::format("the tensor has {} dimension{}, not {}", tensor.sizes.size(), tensor.sizes.size() == 1 ? "" : "s", indices.size());
    return std::nullopt;
  }
  const int size = size_of_type(tensor.dtype);
  if (!tensor.data || !size) {
    *why_not = fmt::format("the elements of this {} tensor are not in memory that can be read", tensor.dtype);
    return std::nullopt;
  }
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::int64_t index = indices[i] < 0 ? indices[i] + tensor.sizes[i] : indices[i];
    if (index < 0 || index >= tensor.sizes[i]) {
      *why_not = fmt::format("index {} is outside of dimension {}, which has {} elements", indices[i], i, tensor.sizes[i]);
      return std::nullopt;
    }
    offset += index * tensor.strides[i];
  }
  return tensor.data + static_cast<std::uint64_t>(offset * size);
}

int size_of_type(const std::string& type) {
  const auto name = canonical_type(type);
  for (const auto& known : element_types)
    if (known.name == name) return known.size;
  if (name == "uint16") return 2;
  if (name == "uint32") return 4;
  return name == "uint64" ? 8 : 0;
}

std::string element_text(const Memory& memory, Address at, const std::string& type) {
  const auto name = canonical_type(type);
  if (name == "float32") return number_at<float>(memory, at);
  if (name == "float64") return number_at<double>(memory, at);
  if (name == "int8") return number_at<std::int8_t>(memory, at);
  if (name == "uint8") return number_at<std::uint8_t>(memory, at);
  if (name == "bool") return memory.get<std::uint8_t>(at).value_or(0) ? "true" : "false";
  if (name == "int16") return number_at<std::int16_t>(memory, at);
  if (name == "uint16") return number_at<std::uint16_t>(memory, at);
  if (name == "int32") return number_at<std::int32_t>(memory, at);
  if (name == "uint32") return number_at<std::uint32_t>(memory, at);
  if (name == "int64") return number_at<std::int64_t>(memory, at);
  if (name == "uint64") return number_at<std::uint64_t>(memory, at);
  return "of a type that is not shown";
}

}  // namespace callpath::session
