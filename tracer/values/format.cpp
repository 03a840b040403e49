#include "values/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "values/format_text.hpp"
#include "values/types.hpp"

namespace callpath::dw {
namespace {

constexpr int deepest = 3;
constexpr std::uint64_t most_elements = 200;  // as gdb's `print elements`
constexpr std::size_t longest = 1'000, fewest_repeats = 10, largest_number = 64;

constexpr const char* lost = "<optimized out>";  // gdb's words, inside a structure

std::string unreadable(const Object& object) { return object.address ? "<not readable>" : lost; }

std::string prefix_of(Die character, std::uint64_t width) {
  const char* name = name_of(character);
  if (width == 1) return {};
  if (name && std::strcmp(name, "char16_t") == 0) return "u";
  if (name && std::strcmp(name, "char32_t") == 0) return "U";
  return "L";
}

bool is_character(std::optional<Die> type) { return kind_of(type) == TypeKind::character; }

std::string shortened(std::string text) {
  if (text.size() <= longest) return text;
  text.resize(longest);
  return text + "...";
}

std::optional<std::uint64_t> enumerator_value(std::optional<Dwarf_Attribute> constant, bool has_sign) {
  if (!has_sign) return number(constant);
  const auto value = signed_number(constant);
  if (!value) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

/// JSON strings must be UTF-8; anything else is shown by its Latin-1 characters.
std::string as_utf8(const std::string& s) {
  const bool plain = std::all_of(s.begin(), s.end(), [](char c) { return !(c & 0x80); });
  if (plain) return s;
  std::string text;
  for (unsigned char c : s) {
    if (c < 0x80)
      text += static_cast<char>(c);
    else
      text += static_cast<char>(0xc0 | c >> 6), text += static_cast<char>(0x80 | (c & 0x3f));
  }
  return text;
}

}  // namespace

std::optional<std::uint64_t> bits_of(const Memory& memory, const Object& object) {
  std::uint64_t bits = 0;
  const bool field = object.bit_size > 0;
  const auto size = field ? static_cast<std::uint64_t>(object.bit_offset + object.bit_size + 7) / 8 : byte_size(object.type);
  if (size == 0 || size > 8 || object.bit_size > 64 || object.bit_offset < 0) return std::nullopt;
  if (!object.read(memory, 0, &bits, size)) return std::nullopt;
  const int width = field ? object.bit_size : static_cast<int>(size * 8);
  if (field) bits >>= object.bit_offset;
  if (width == 64) return bits;
  bits &= (1ull << width) - 1;
  if (is_signed(object.type) && bits >> (width - 1)) bits |= ~0ull << width;
  return bits;
}

std::optional<std::string> Formatter::text(const Object& object, std::string* reason) {
  const auto size = byte_size(object.type);
  std::uint8_t probe;
  const auto followed = without_reference(memory_, object);
  if (!followed) {
    *reason = followed.reason;
    return std::nullopt;
  }
  if (size > 0 && followed.object->address && !followed.object->read(memory_, 0, &probe, 1) && byte_size(followed.object->type) > 0) {
    *reason = not_readable;
    return std::nullopt;
  }
  std::string made = any(*followed.object, 0);
  if (!made.empty() && made != unreadable(object)) return shortened(std::move(made));
  *reason = object.address ? not_readable : optimised_out;
  return std::nullopt;
}

std::string Formatter::any(const Object& object, int depth) {
  switch (kind_of(object.type)) {
    case TypeKind::boolean:
    case TypeKind::character:
    case TypeKind::integer:
    case TypeKind::floating:
      return base(object);
    case TypeKind::enumeration:
      return enumeration(object);
    case TypeKind::pointer:
      return pointer(object, depth);
    case TypeKind::array:
      return array(object, depth);
    case TypeKind::structure:
      return structure(object, depth);
    case TypeKind::reference: {
      const auto target = follow(memory_, object);
      if (!target) return unreadable(object);
      return depth > 0 ? fmt::format("@{:#x}", target.object->address->value) : any(*target.object, depth + 1);
    }
    case TypeKind::other:
      if (tag(*peeled(object.type)) == DW_TAG_ptr_to_member_type) return member_pointer(object);
      [[fallthrough]];
    default:
      return "<" + names_.type_name(object.type) + ">";
  }
}

std::string Formatter::base(const Object& object) {
  const auto kind = kind_of(object.type);
  const auto size = byte_size(object.type);
  if (kind == TypeKind::floating || size > 8) {
    std::vector<std::uint8_t> bytes(std::min<std::uint64_t>(size, largest_number));
    if (!object.read(memory_, 0, bytes.data(), bytes.size())) return unreadable(object);
    return kind == TypeKind::floating ? float_text(bytes) : int128_text(bytes, is_signed(object.type));
  }
  const auto bits = bits_of(memory_, object);
  if (!bits) return unreadable(object);
  if (kind == TypeKind::boolean && *bits <= 1) return *bits ? "true" : "false";
  if (kind == TypeKind::character) return character_text(static_cast<std::int64_t>(*bits), prefix_of(*peeled(object.type), size));
  return is_signed(object.type) ? fmt::format("{}", static_cast<std::int64_t>(*bits)) : fmt::format("{}", *bits);
}

/// One enumerator; or flags joined by "|", as gdb shows an enumeration whose enumerators are single bits.
std::string Formatter::enumeration(const Object& object) {
  const auto bits = bits_of(memory_, object);
  if (!bits) return unreadable(object);
  const Die type = *peeled(object.type);
  std::string prefix = flag(attribute(type, DW_AT_enum_class)) ? names_.type_name(type) + "::" : names_.scope_prefix(type);
  if (!is_cplusplus(unit_of(type))) prefix.clear();
  std::string exact, joined;
  std::uint64_t rest = *bits;
  bool flags = true;
  for_each_child(type, [&](Die child) {
    const auto constant = attribute(child, DW_AT_const_value);
    const auto value = enumerator_value(constant, is_signed(object.type));
    const char* name = name_of(child);
    if (tag(child) != DW_TAG_enumerator || !value || !name) return true;
    if (*value == *bits && exact.empty()) exact = prefix + name;
    if (*value & (*value - 1))
      flags = false;
    else if (*value && (rest & *value))
      joined += (joined.empty() ? "" : " | ") + prefix + name, rest &= ~*value;
    return true;
  });
  if (!exact.empty()) return exact;
  if (!flags || *bits == 0) return is_signed(object.type) ? fmt::format("{}", static_cast<std::int64_t>(*bits)) : fmt::format("{}", *bits);
  if (rest) joined += fmt::format("{}unknown: {:#x}", joined.empty() ? "" : " | ", rest);
  return "(" + joined + ")";
}

std::string Formatter::pointer(const Object& object, int depth) {
  const auto bits = bits_of(memory_, object);
  if (!bits) return unreadable(object);
  const auto target = type_of(*peeled(object.type));
  if (*bits && is_character(target) && byte_size(target) == 1) {
    std::vector<std::uint32_t> characters;
    std::uint8_t c = 0;
    while (characters.size() < most_elements && memory_.read(Address{*bits + characters.size()}, &c, 1) && c) characters.push_back(c);
    const bool readable = !characters.empty() || memory_.read(Address{*bits}, &c, 1);
    if (readable) return fmt::format("{:#x} {}", *bits, string_text(characters, {}, characters.size() == most_elements));
  }
  return depth > 0 ? fmt::format("{:#x}", *bits) : fmt::format("({}) {:#x}", names_.type_name(object.type), *bits);
}

/// A pointer to a data member is its offset, -1 where it points to none; to a member function an address and an adjustment.
std::string Formatter::member_pointer(const Object& object) {
  std::int64_t value = 0;
  if (!object.read(memory_, 0, &value, sizeof value)) return unreadable(object);
  const auto target = peeled(type_of(*peeled(object.type)));
  const bool function = target && tag(*target) == DW_TAG_subroutine_type;
  if (value == (function ? 0 : -1)) return "NULL";
  return fmt::format("({}) {:#x}", names_.type_name(object.type), static_cast<std::uint64_t>(value));
}

std::string Formatter::array(const Object& object, int depth) {
  const auto d = dimensions_of(*peeled(object.type));
  if (d.counts.empty() || d.counts[0] == 0) return "{}";
  if (d.counts.size() == 1 && is_character(d.element) && object.gone.empty()) return characters(object, d.counts[0], byte_size(d.element));
  return elements(object, d.counts, 0, d.element, depth);
}

std::string Formatter::elements(const Object& object, const std::vector<std::uint64_t>& counts, std::size_t dimension,
                                std::optional<Die> element, int depth) {
  if (depth > deepest || dimension > 8) return "{...}";
  std::uint64_t stride = byte_size(element);
  for (std::size_t i = dimension + 1; i < counts.size(); ++i) stride *= counts[i];
  const auto item = [&](std::uint64_t i) {
    const Object o = object.part(i * stride, element, stride);
    if (dimension + 1 < counts.size()) return elements(o, counts, dimension + 1, element, depth + 1);
    return any(o, depth + 1);
  };
  std::string text;
  std::uint64_t shown = 0, i = 0;
  while (i < counts[dimension] && shown < most_elements && text.size() < longest) {
    const std::string one = item(i);
    std::uint64_t run = 1;
    while (i + run < counts[dimension] && run < 100'000 && item(i + run) == one) ++run;
    text += text.empty() ? "" : ", ";
    if (run >= fewest_repeats) {
      text += fmt::format("{} <repeats {} times>", one, run);
      i += run, shown += fewest_repeats;
    } else {
      text += one;
      ++i, ++shown;
    }
  }
  return "{" + text + (i < counts[dimension] ? "..." : "") + "}";
}

std::string Formatter::characters(const Object& object, std::uint64_t count, std::uint64_t width) {
  if (width != 1 && width != 2 && width != 4) return "{...}";
  std::vector<std::uint32_t> all;
  const bool more = count > most_elements;
  for (std::uint64_t i = 0; i < std::min(count, most_elements); ++i) {
    std::uint32_t c = 0;
    if (!object.read(memory_, i * width, &c, width)) return unreadable(object);
    all.push_back(c);
  }
  if (!more && !all.empty() && all.back() == 0) all.pop_back();  // one terminator is not worth showing
  const auto element = peeled(type_of(*peeled(object.type)));
  return string_text(all, prefix_of(*element, width), more);
}

std::optional<std::string> Formatter::standard_string(const Object& object) {
  const char* name = name_of(*peeled(object.type));
  if (!name || (std::strncmp(name, "basic_string<char,", 18) != 0 && std::strcmp(name, "basic_string<char>") != 0)) return std::nullopt;
  auto data = find_member(memory_, object, "_M_dataplus");
  if (data) data = find_member(memory_, *data.object, "_M_p");
  const auto length = find_member(memory_, object, "_M_string_length");
  if (!data || !length) return std::nullopt;
  const auto at = bits_of(memory_, *data.object), size = bits_of(memory_, *length.object);
  if (!at || !size) return std::nullopt;
  std::string content(std::min<std::uint64_t>(*size, most_elements), '\0');
  return memory_.read(Address{*at}, content.data(), content.size()) ? std::optional(content) : std::nullopt;
}

std::string Formatter::structure(const Object& object, int depth) {
  if (const auto s = standard_string(object)) {
    std::vector<std::uint32_t> all;
    for (unsigned char c : *s) all.push_back(c);
    return string_text(all, {}, s->size() == most_elements);
  }
  if (depth > deepest) return "{...}";
  const Die type = *peeled(object.type);
  if (flag(attribute(type, DW_AT_declaration))) return "<incomplete type>";
  std::string text;
  for (const auto& m : members_of(type)) {
    if (text.size() > longest) return "{" + text + ", ...}";
    text += text.empty() ? "" : ", ";
    const auto member_type = object.completed(type_of(m.die));
    const char* name = name_of(m.die);
    if (m.base)
      text += "<" + names_.type_name(member_type) + "> = ";
    else if (name)
      text += std::string(name) + " = ";
    if (!m.known) {
      text += "<not readable>";
      continue;
    }
    Object part = object.part(m.offset, member_type, m.bit_size ? (m.bit_offset + m.bit_size + 7) / 8 : byte_size(member_type));
    part.bit_offset = m.bit_offset, part.bit_size = m.bit_size;
    text += any(part, depth + 1);
  }
  return text.empty() ? "{<No data fields>}" : "{" + text + "}";
}

nlohmann::json Formatter::json(const Object& given) {
  const auto followed = without_reference(memory_, given);
  if (!followed) return {};
  const Object& object = *followed.object;
  const auto bits = bits_of(memory_, object);
  switch (kind_of(object.type)) {
    case TypeKind::boolean:
      return bits ? nlohmann::json(*bits != 0) : nlohmann::json();
    case TypeKind::character:
    case TypeKind::integer:
      if (!bits) return {};
      return is_signed(object.type) ? nlohmann::json(static_cast<std::int64_t>(*bits)) : nlohmann::json(*bits);
    case TypeKind::floating: {
      std::vector<std::uint8_t> bytes(std::min<std::uint64_t>(byte_size(object.type), largest_number));
      if (!object.read(memory_, 0, bytes.data(), bytes.size())) return {};
      const double value = std::strtod(float_text(bytes).c_str(), nullptr);
      return value - value == 0 ? nlohmann::json(value) : nlohmann::json(float_text(bytes));  // JSON has no infinities
    }
    case TypeKind::enumeration:
      return enumeration(object);
    case TypeKind::pointer: {
      const auto target = type_of(*peeled(object.type));
      if (!bits || !*bits || !is_character(target) || byte_size(target) != 1) return {};
      const auto s = memory_.c_string(Address{*bits}, 4096);
      return s ? nlohmann::json(as_utf8(*s)) : nlohmann::json();
    }
    case TypeKind::array: {
      const auto d = dimensions_of(*peeled(object.type));
      auto list = nlohmann::json::array();
      if (d.counts.size() != 1 || d.counts[0] > most_elements) return {};
      for (std::uint64_t i = 0; i < d.counts[0]; ++i)
        list.push_back(json(object.part(i * byte_size(d.element), d.element, byte_size(d.element))));
      return list;
    }
    case TypeKind::structure: {
      const auto s = standard_string(object);
      return s ? nlohmann::json(as_utf8(*s)) : nlohmann::json();
    }
    default:
      return {};
  }
}

}  // namespace callpath::dw
