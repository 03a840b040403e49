// Types written as declarations, in gdb's and in the demanglers' manner.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <utility>

#include "symbols/die_names.hpp"

namespace callpath::dw {
namespace {

constexpr int deepest = 64;

/// Compilers say "long unsigned int" in debug information, demanglers "unsigned long".
std::string demangler_spelling(const char* name) {
  static constexpr std::array<std::pair<const char*, const char*>, 6> spellings = {{{"long unsigned int", "unsigned long"},
                                                                                    {"long int", "long"},
                                                                                    {"short int", "short"},
                                                                                    {"short unsigned int", "unsigned short"},
                                                                                    {"long long int", "long long"},
                                                                                    {"long long unsigned int", "unsigned long long"}}};
  for (const auto& [from, to] : spellings)
    if (std::strcmp(name, from) == 0) return to;
  return std::strcmp(name, "unsigned int") == 0 ? "unsigned int" : name;
}

std::string dimension(Die subrange) {
  if (const auto count = number(attribute(subrange, DW_AT_count))) return fmt::format("[{}]", *count);
  if (const auto upper = signed_number(attribute(subrange, DW_AT_upper_bound)); upper && *upper >= -1)
    return fmt::format("[{}]", *upper + 1);
  return "[]";
}

std::string dimensions(Die array) {
  std::string all;
  for_each_child(array, [&](Die child) {
    if (tag(child) == DW_TAG_subrange_type) all += dimension(child);
    return all.size() < 200;
  });
  return all;
}

bool needs_parentheses(std::optional<Die> target) {
  while (target && (tag(*target) == DW_TAG_const_type || tag(*target) == DW_TAG_volatile_type)) target = type_of(*target);
  return target && (tag(*target) == DW_TAG_array_type || tag(*target) == DW_TAG_subroutine_type);
}

const char* keyword(int t) {
  switch (t) {
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
      return "struct ";
    case DW_TAG_union_type:
      return "union ";
    case DW_TAG_enumeration_type:
      return "enum ";
    default:
      return "";
  }
}

std::string finish(std::string leaf, const std::string& inner, const std::string& qualifiers, TypeStyle style) {
  if (style == TypeStyle::demangler) {
    leaf += qualifiers;
    if (inner.empty()) return leaf;
    return leaf + (inner[0] == '(' || inner[0] == '[' ? " " : "") + inner;
  }
  if (!qualifiers.empty()) leaf = qualifiers.substr(1) + " " + leaf;
  return inner.empty() ? leaf : leaf + " " + inner;
}

}  // namespace

std::string DieNames::leaf(Die type, TypeStyle style, int depth) {
  const char* name = name_of(type);
  const int t = tag(type);
  const bool cplusplus = is_cplusplus(unit_of(type));
  if (!name) return fmt::format("{}{{...}}", keyword(t));
  if (t == DW_TAG_base_type) return style == TypeStyle::demangler ? demangler_spelling(name) : name;
  if (!cplusplus) return fmt::format("{}{}", keyword(t), name);
  return scope_prefix(type, depth + 1) + name;
}

std::string DieNames::declare(std::optional<Die> type, std::string inner, std::string qualifiers, TypeStyle style, int depth) {
  if (depth > deepest) return "...";
  if (!type) return finish("void", inner, qualifiers, style);
  const auto target = [&] { return type_of(*type); };
  const auto pointer = [&](const std::string& sign) {
    const auto to = target();
    std::string declarator = sign + qualifiers + inner;
    if (needs_parentheses(to)) declarator = "(" + declarator + ")";
    return declare(to, declarator, {}, style, depth + 1);
  };
  switch (tag(*type)) {
    case DW_TAG_pointer_type:
      return pointer("*");
    case DW_TAG_reference_type:
      return pointer("&");
    case DW_TAG_rvalue_reference_type:
      return pointer("&&");
    case DW_TAG_ptr_to_member_type: {
      const auto holder = reference(*type, DW_AT_containing_type);
      return pointer((holder ? leaf(*holder, style, depth) : std::string("??")) + "::*");
    }
    case DW_TAG_const_type:
      return declare(target(), inner, " const" + qualifiers, style, depth + 1);
    case DW_TAG_volatile_type:
      return declare(target(), inner, " volatile" + qualifiers, style, depth + 1);
    case DW_TAG_restrict_type:
      return declare(target(), inner, (style == TypeStyle::gdb ? " restrict" : "") + qualifiers, style, depth + 1);
    case DW_TAG_atomic_type:
      return declare(target(), inner, " _Atomic" + qualifiers, style, depth + 1);
    case DW_TAG_array_type:
      return declare(target(), inner + dimensions(*type), qualifiers, style, depth + 1);
    case DW_TAG_subroutine_type:
      return declare(target(), inner + parameters(*type, style, depth + 1), {}, style, depth + 1);
    default:
      return finish(leaf(*type, style, depth), inner, qualifiers, style);
  }
}

std::string DieNames::type_name(std::optional<Die> type, TypeStyle style) { return declare(type, {}, {}, style, 0); }

}  // namespace callpath::dw
