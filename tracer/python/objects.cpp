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

// The bit-field of PyASCIIObject.
struct TextState {
  TextState(std::uint32_t bits, const callpath_python_layout& layout)
      : kind(static_cast<unsigned>(bits / layout.text_kind_unit & 7)),
        compact(bits & layout.text_compact_mask),
        ascii(bits & layout.text_ascii_mask),
        ready(!layout.text_ready_mask || (bits & layout.text_ready_mask)) {}
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
  const TextState state(*bits, layout_);
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

// Instrumentation for lines, and below it for single instructions, replaces opcodes and keeps the real ones beside the code object: only
// they tell how long an instruction is.
void ObjectReader::restore_instrumented(Address object, std::vector<std::uint8_t>& bytecode) const {
  if (!layout_.code_monitoring) return;
  const auto monitoring = memory_.pointer(object + layout_.code_monitoring);
  if (!monitoring || !*monitoring) return;
  const auto* names = opcodes_.names;
  const auto is = [&](std::uint8_t opcode, const char* name) { return names[opcode] && std::strcmp(names[opcode], name) == 0; };
  const std::size_t units = bytecode.size() / 2, line = layout_.monitoring_line_size;
  const auto table_at = [&](std::size_t field, std::size_t entry) -> std::optional<std::vector<std::uint8_t>> {
    const auto at = memory_.pointer(*monitoring + field);
    return at && *at ? copy(*at, units * entry, longest_bytes) : std::nullopt;
  };
  const auto lines = table_at(layout_.monitoring_lines, line), instructions = table_at(layout_.monitoring_instructions, 1);
  for (std::size_t unit = 0; unit < units; ++unit) {
    auto& opcode = bytecode[2 * unit];
    if (lines && is(opcode, "INSTRUMENTED_LINE")) opcode = (*lines)[unit * line];
    if (instructions && is(opcode, "INSTRUMENTED_INSTRUCTION")) opcode = (*instructions)[unit];
    unit += opcodes_.caches[opcodes_.base[opcode]];
  }
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
  restore_instrumented(object, *bytecode);
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
