// Objects in a few words, in the manner of repr(), without running anything.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "core/cpython_offsets.hpp"
#include "python/frames.hpp"
#include "python/objects.hpp"
#include "python/versions.hpp"

namespace callpath {
namespace {

using namespace cpython;

constexpr std::uint64_t type_subclass = 1u << 31, is_ready = 1u << 12;
constexpr std::size_t longest = 60, most_items = 4;

std::string shortened(std::string text) {
  if (text.size() <= longest) return text;
  std::size_t end = longest;
  while (end && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

std::string quoted(const std::string& text) {
  const char quote = text.find('\'') != std::string::npos && text.find('"') == std::string::npos ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote || c == '\\')
      out += '\\', out += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\r')
      out += "\\r";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out.size() > longest ? shortened(std::move(out)) : out + quote;
}

std::string float_repr(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  // Python's rule: the shortest digits, an exponent from 1e16 on and below 1e-4.
  const double size = std::fabs(value);
  if (size != 0 && (size >= 1e16 || size < 1e-4)) {
    std::string text = fmt::format("{:e}", value), shortest = fmt::format("{}", value);
    return shortest.find('e') != std::string::npos ? shortest : text;
  }
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

class Repr {
 public:
  Repr(const Memory& memory, const PythonVersion& version, bool tagged_ints)
      : memory_(memory), layout_(*version.layout), objects_(memory, version, {}), tagged_(tagged_ints) {}

  std::optional<std::string> of(Address object, int depth = 0) const {
    const auto type = memory_.pointer(object + layout_.object_type);
    if (!type || !is_type(*type)) return std::nullopt;
    const auto name = type_name(*type);
    if (!name) return std::nullopt;
    if (auto text = known(object, *name, depth)) return text;
    if (is_type(object))
      if (const auto own = type_name(object)) return fmt::format("<class '{}'>", *own);
    return fmt::format("<{} object>", *name);
  }

 private:
  bool is_type(Address type) const {
    if (type.value < 4096 || type.value % 8) return false;
    const auto meta = memory_.pointer(type + layout_.object_type);
    if (!meta) return false;
    const auto flags = memory_.get<std::uint64_t>(*meta + type_flags), own = memory_.get<std::uint64_t>(type + type_flags);
    return flags && own && (*flags & type_subclass) && (*flags & is_ready) && (*own & is_ready);
  }

  std::optional<std::string> type_name(Address type) const {
    const auto at = memory_.pointer(type + type_name_at);
    return at ? memory_.c_string(*at, 200) : std::nullopt;
  }

  std::optional<std::string> known(Address object, const std::string& type, int depth) const {
    if (type == "NoneType") return "None";
    if (type == "bool") return integer(object) == "0" ? "False" : "True";
    if (type == "int") return integer(object);
    if (type == "float") {
      const auto value = memory_.get<double>(object + float_value);
      return value ? std::optional(float_repr(*value)) : std::nullopt;
    }
    if (type == "str") {
      const auto text = objects_.text(object);
      return text ? std::optional(quoted(*text)) : std::nullopt;
    }
    if (type == "tuple") return sequence(object + layout_.tuple_items, object, '(', ')', depth);
    if (type == "list") return sequence(memory_.pointer(object + list_items).value_or(Address{}), object, '[', ']', depth);
    if (type == "dict") {
      const auto used = memory_.get<std::int64_t>(object + dict_used);
      return used ? std::optional(*used ? fmt::format("<dict of {}>", *used) : "{}") : std::nullopt;
    }
    return named(object, type);
  }

  std::optional<std::string> named(Address object, const std::string& type) const {
    const auto text = [&](std::size_t at) {
      const auto where = memory_.pointer(object + at);
      return where ? objects_.text(*where) : std::nullopt;
    };
    if (type == "function") {
      const auto name = text(function_qualname);
      return name ? std::optional(fmt::format("<function {}>", *name)) : std::nullopt;
    }
    if (type == "builtin_function_or_method") {
      const auto definition = memory_.pointer(object + builtin_method);
      const auto at = definition ? memory_.pointer(*definition) : std::nullopt;
      const auto name = at ? memory_.c_string(*at, 200) : std::nullopt;
      return name ? std::optional(fmt::format("<built-in {}>", *name)) : std::nullopt;
    }
    if (type == "method_descriptor") {
      const auto name = text(descriptor_name);
      const auto owner = memory_.pointer(object + descriptor_type);
      const auto of = owner && is_type(*owner) ? type_name(*owner) : std::nullopt;
      return name && of ? std::optional(fmt::format("<method '{}' of '{}' objects>", *name, of->substr(of->rfind('.') + 1))) : std::nullopt;
    }
    if (type == "code") {
      const auto name = text(layout_.code_qualname);
      return name ? std::optional(fmt::format("<code object {}>", *name)) : std::nullopt;
    }
    return std::nullopt;
  }

  /// Up to 64 bits in full, larger ones by their size.
  std::optional<std::string> integer(Address object) const {
    const auto head = memory_.get<std::int64_t>(object + int_size);
    if (!head) return std::nullopt;
    // From 3.12 on the low bits tell the sign: 0 positive, 1 zero, 2 negative.
    const std::int64_t count = tagged_ ? static_cast<std::int64_t>(static_cast<std::uint64_t>(*head) >> 3) : std::abs(*head);
    const bool negative = tagged_ ? (*head & 3) == 2 : *head < 0;
    if (count > 2) return fmt::format("<int of {} digits to base 2**30>", count);
    std::uint64_t value = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto digit = memory_.get<std::uint32_t>(object + int_digits + static_cast<std::uint64_t>(i) * 4);
      if (!digit) return std::nullopt;
      value |= std::uint64_t{*digit} << (30 * i);
    }
    return fmt::format("{}{}", negative ? "-" : "", value);
  }

  std::optional<std::string> sequence(Address items, Address object, char open, char close, int depth) const {
    const auto size = memory_.get<std::int64_t>(object + layout_.var_size);
    if (!size || *size < 0) return std::nullopt;
    if (depth > 1) return std::string{open} + "…" + close;
    std::string text(1, open);
    const auto shown = std::min<std::int64_t>(*size, most_items);
    for (std::int64_t i = 0; i < shown; ++i) {
      const auto item = memory_.pointer(items + static_cast<std::uint64_t>(i) * 8);
      text += (i ? ", " : "") + (item ? of(*item, depth + 1).value_or("?") : "?");
    }
    if (shown < *size) text += fmt::format(", … {} in all", *size);
    if (open == '(' && *size == 1) text += ',';
    return text + close;
  }

  const Memory& memory_;
  const callpath_python_layout& layout_;
  ObjectReader objects_;
  bool tagged_;
};

}  // namespace

std::optional<std::string> short_repr(const Interpreter& interpreter, const Memory& memory, Address object) {
  const auto* version = interpreter.supported ? find_version(interpreter.hex_version) : nullptr;
  constexpr std::uint32_t tagged_since = 0x030c0000;
  return version ? Repr(memory, *version, interpreter.hex_version >= tagged_since).of(object) : std::nullopt;
}

}  // namespace callpath
