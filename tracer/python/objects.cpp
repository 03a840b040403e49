#include "python/objects.hpp"

#include <fmt/format.h>

#include <cstring>

namespace callpath {
namespace {

constexpr std::uint64_t longest_text = 1 << 20, longest_bytes = 64 << 20, longest_tuple = 1 << 16;

void append_utf8(std::string& out, std::uint32_t c) {
  if (c >= 0xd800 && c < 0xe000)
    out += fmt::format("\\u{:04x}", c);
  else if (c < 0x80)
    out += static_cast<char>(c);
  else if (c < 0x800)
    (out += static_cast<char>(0xc0 | c >> 6)) += static_cast<char>(0x80 | (c & 0x3f));
  else if (c < 0x10000)
    ((out += static_cast<char>(0xe0 | c >> 12)) += static_cast<char>(0x80 | (c >> 6 & 0x3f))) += static_cast<char>(0x80 | (c & 0x3f));
  else if (c < 0x110000)
    (((out += static_cast<char>(0xf0 | c >> 18)) += static_cast<char>(0x80 | (c >> 12 & 0x3f))) +=
     static_cast<char>(0x80 | (c >> 6 & 0x3f))) += static_cast<char>(0x80 | (c & 0x3f));
  else
    out += "\\U" + fmt::format("{:08x}", c);
}

std::string utf8(const std::vector<std::uint8_t>& data, unsigned kind) {
  std::string out;
  for (std::size_t i = 0; i + kind <= data.size(); i += kind) {
    std::uint32_t c = 0;
    std::memcpy(&c, data.data() + i, kind);
    append_utf8(out, c);
  }
  return out;
}

// The bit-field of PyASCIIObject: interned:2, kind:3, compact:1, ascii:1, ready:1.
struct TextState {
  explicit TextState(std::uint32_t bits) : kind(bits >> 2 & 7), compact(bits >> 5 & 1), ascii(bits >> 6 & 1), ready(bits >> 7 & 1) {}
  unsigned kind;
  bool compact, ascii, ready;
  bool sound() const { return ready && (kind == 1 || kind == 2 || kind == 4); }
};

}  // namespace

std::optional<std::vector<std::uint8_t>> ObjectReader::copy(Address from, std::uint64_t size, std::uint64_t limit) const {
  if (size > limit) return std::nullopt;
  std::vector<std::uint8_t> data(size);
  if (size && !memory_.read(from, data.data(), data.size())) return std::nullopt;
  return data;
}

std::optional<std::string> ObjectReader::text(Address object) const {
  const auto length = field<std::int64_t>(object, layout_.text_length);
  const auto bits = field<std::uint32_t>(object, layout_.text_state);
  if (!length || !bits || *length < 0) return std::nullopt;
  const TextState state(*bits);
  if (!state.sound() || static_cast<std::uint64_t>(*length) > longest_text) return std::nullopt;
  Address data = object + (state.ascii ? layout_.text_ascii_data : layout_.text_compact_data);
  if (!state.compact) data = memory_.pointer(object + layout_.text_pointer).value_or(Address{});
  const auto units = copy(data, static_cast<std::uint64_t>(*length) * state.kind, longest_text * 4);
  if (!units) return std::nullopt;
  return utf8(*units, state.kind);
}

std::optional<std::vector<std::uint8_t>> ObjectReader::bytes(Address object) const {
  const auto size = field<std::int64_t>(object, layout_.var_size);
  if (!size || *size < 0) return std::nullopt;
  return copy(object + layout_.bytes_data, static_cast<std::uint64_t>(*size), longest_bytes);
}

std::vector<std::string> ObjectReader::texts(Address tuple) const {
  std::vector<std::string> out;
  const auto size = field<std::int64_t>(tuple, layout_.var_size);
  if (!size || *size < 0 || static_cast<std::uint64_t>(*size) > longest_tuple) return out;
  const auto items = copy(tuple + layout_.tuple_items, static_cast<std::uint64_t>(*size) * 8, longest_tuple * 8);
  if (!items) return out;
  for (std::size_t i = 0; i < items->size(); i += 8) {
    Address item;
    std::memcpy(&item.value, items->data() + i, 8);
    out.push_back(text(item).value_or("?"));
  }
  return out;
}

std::optional<std::string> ObjectReader::text_field(Address object, std::size_t at) const {
  const auto pointer = memory_.pointer(object + at);
  return pointer ? text(*pointer) : std::nullopt;
}

std::optional<ObjectReader::Code> ObjectReader::read_code(Address object) const {
  if (code_type_ && memory_.pointer(object + layout_.object_type) != code_type_) return std::nullopt;
  const auto units = field<std::int64_t>(object, layout_.var_size);
  const auto first_line = field<std::int32_t>(object, layout_.code_first_line);
  const auto first_traceable = field<std::int32_t>(object, layout_.code_first_traceable);
  const auto line_table = memory_.pointer(object + layout_.code_line_table);
  const auto names = memory_.pointer(object + layout_.code_names);
  const auto name = text_field(object, layout_.code_name);
  if (!units || *units < 0 || !first_line || !first_traceable || !line_table || !names || !name) return std::nullopt;
  auto bytecode = copy(object + layout_.code_bytes, static_cast<std::uint64_t>(*units) * 2, longest_bytes);
  auto table = bytes(*line_table);
  if (!bytecode || !table) return std::nullopt;
  CodeInfo info{object,
                *name,
                text_field(object, layout_.code_qualname).value_or(*name),
                text_field(object, layout_.code_file).value_or("?"),
                *first_line,
                std::move(*bytecode),
                std::move(*table),
                texts(*names)};
  return Code{std::move(info), object + layout_.code_bytes, *first_traceable};
}

const ObjectReader::Code* ObjectReader::code(Address object) {
  const auto known = codes_.find(object.value);
  const auto& entry = known != codes_.end() ? known->second : codes_.emplace(object.value, read_code(object)).first->second;
  return entry ? &*entry : nullptr;
}

}  // namespace callpath
