#include "session/function_code.hpp"

#include <Zydis/Zydis.h>

#include <algorithm>
#include <cstring>

namespace callpath::session {
namespace {

constexpr std::uint64_t longest_function = 1 << 22;

// How pointers are encoded in unwind tables (DW_EH_PE_*).
enum Encoding : std::uint8_t { absolute = 0x00, udata4 = 0x03, sdata4 = 0x0b, sdata8 = 0x0c, pc_relative = 0x10, data_relative = 0x30 };

struct Cursor {
  const Memory& memory;
  Address at;
  bool bad = false;

  template <class T>
  T take() {
    const auto value = memory.get<T>(at);
    at = at + sizeof(T);
    bad |= !value;
    return value.value_or(T{});
  }
  std::uint64_t leb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = take<std::uint8_t>();
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (!(byte & 0x80)) break;
    }
    return value;
  }
  /// The number without its base.
  std::uint64_t number(std::uint8_t form) {
    switch (form & 0x0f) {
      case udata4:
        return take<std::uint32_t>();
      case sdata4:
        return static_cast<std::uint64_t>(std::int64_t{take<std::int32_t>()});
      case absolute:
      case sdata8:
        return take<std::uint64_t>();
      default:
        bad = true;
        return 0;
    }
  }
  std::uint64_t pointer(std::uint8_t encoding) {
    const std::uint64_t base = (encoding & 0x70) == pc_relative ? at.value : 0;
    return base + number(encoding);
  }
};

/// The encoding of addresses in the entries that belong to a CIE.
std::optional<std::uint8_t> address_encoding(const Memory& memory, Address cie) {
  Cursor cursor{memory, cie + 8};
  const auto version = cursor.take<std::uint8_t>();
  std::string augmentation;
  while (const char c = cursor.take<char>()) {
    if (cursor.bad || augmentation.size() > 8) return std::nullopt;
    augmentation += c;
  }
  cursor.leb(), cursor.leb();
  if (version == 1)
    cursor.take<std::uint8_t>();
  else
    cursor.leb();
  if (augmentation.empty() || augmentation[0] != 'z') return absolute;
  cursor.leb();
  for (const char c : augmentation.substr(1)) {
    if (c == 'R') return cursor.bad ? std::nullopt : std::optional(cursor.take<std::uint8_t>());
    if (c == 'L') cursor.take<std::uint8_t>();
    if (c == 'P') cursor.pointer(cursor.take<std::uint8_t>() & 0x7f);
  }
  return absolute;
}

std::optional<AddressRange> range_of_entry(const Memory& memory, Address fde) {
  Cursor cursor{memory, fde};
  const auto length = cursor.take<std::uint32_t>();
  if (length == 0 || length == 0xffffffff) return std::nullopt;
  const Address id_at = cursor.at;
  const auto cie_distance = cursor.take<std::uint32_t>();
  if (cursor.bad || cie_distance == 0) return std::nullopt;
  const auto encoding = address_encoding(memory, id_at - cie_distance);
  if (!encoding) return std::nullopt;
  const Address begin{cursor.pointer(*encoding)};
  const std::uint64_t size = cursor.number(*encoding & 0x0f);
  if (cursor.bad || size == 0) return std::nullopt;
  return AddressRange{begin, begin + size};
}

class Decoder {
 public:
  Decoder() { ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64); }

  FunctionCode run(const std::vector<std::uint8_t>& bytes, AddressRange range) {
    FunctionCode code;
    std::vector<bool> begins(bytes.size());
    std::vector<std::uint64_t> inner_targets;
    for (std::size_t at = 0; at < bytes.size();) {
      ZydisDecoderContext context;
      if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder_, &context, bytes.data() + at, bytes.size() - at, &instruction_)))
        return {{}, "its bytes are not code throughout"};
      begins[at] = true;
      look_at(context, range.begin + at, range, code, inner_targets);
      remember_sum(context);
      at += instruction_.length;
    }
    for (const auto target : inner_targets)
      if (!begins[target]) return {{}, "a jump goes into the middle of one of its instructions"};
    return code;
  }

 private:
  void look_at(ZydisDecoderContext& context, Address at, AddressRange range, FunctionCode& code, std::vector<std::uint64_t>& inner) {
    const auto category = instruction_.meta.category;
    const bool calls = category == ZYDIS_CATEGORY_CALL, jumps = category == ZYDIS_CATEGORY_UNCOND_BR;
    if (!calls && !jumps && category != ZYDIS_CATEGORY_COND_BR) return;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeOperands(&decoder_, &context, &instruction_, operands, instruction_.operand_count))) return;
    std::uint64_t target = 0;
    if (operands[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE) {
      const bool of_sum = operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER && operands[0].reg.value == sum_;
      const bool of_switch = jumps && ((instruction_.attributes & ZYDIS_ATTRIB_HAS_NOTRACK) || of_sum || through_table(operands[0]));
      if (!of_switch) code.exits.push_back({at, jumps, std::nullopt});
      return;
    }
    if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&instruction_, &operands[0], at.value, &target))) return;
    if (range.holds({target}))
      inner.push_back(target - range.begin.value);
    else
      code.exits.push_back({at, !calls, Address{target}});
  }

  void remember_sum(ZydisDecoderContext& context) {
    sum_ = ZYDIS_REGISTER_NONE;
    if (instruction_.mnemonic != ZYDIS_MNEMONIC_ADD) return;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeOperands(&decoder_, &context, &instruction_, operands, instruction_.operand_count))) return;
    if (operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER) sum_ = operands[0].reg.value;
  }

  /// jmp *table(,%reg,8)
  static bool through_table(const ZydisDecodedOperand& operand) {
    return operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.mem.index != ZYDIS_REGISTER_NONE;
  }

  ZydisDecoder decoder_;
  ZydisDecodedInstruction instruction_;
  ZydisRegister sum_ = ZYDIS_REGISTER_NONE;  ///< What the instruction before added to: a switch jumps to its table's address plus an entry.
};

bool starts_with(const std::vector<std::uint8_t>& code, std::size_t at, std::initializer_list<std::uint8_t> bytes) {
  return at + bytes.size() <= code.size() && std::equal(bytes.begin(), bytes.end(), code.begin() + static_cast<std::ptrdiff_t>(at));
}

/// Where `jmp *slot(%rip)` at `at`, or a direct jump there, leads; with the landing pad and prefix that may stand before it.
struct Stub {
  std::vector<std::uint8_t> code;
  Address address;
  std::size_t at = 0;

  Stub(const Memory& memory, Address address) : code(24), address(address) {
    while (!code.empty() && !memory.read(address, code.data(), code.size())) code.resize(code.size() / 2);
    if (starts_with(code, at, {0xf3, 0x0f, 0x1e, 0xfa})) at += 4;
  }
  std::int32_t displacement(std::size_t from) const {
    std::int32_t value = 0;
    if (from + 4 <= code.size()) std::memcpy(&value, code.data() + from, sizeof value);
    return value;
  }
  void skip_prefix() { at += starts_with(code, at, {0xf2}); }
  Address relative(std::size_t size) const {
    return address + at + size + static_cast<std::uint64_t>(std::int64_t{displacement(at + size - 4)});
  }
};

/// `push number; jmp first entry`, whose first entry is `push map; jmp *resolver`.
std::optional<Address> resolver_behind(const Memory& memory, Address unbound) {
  Stub stub(memory, unbound);
  if (!starts_with(stub.code, stub.at, {0x68})) return std::nullopt;
  stub.at += 5;
  stub.skip_prefix();
  if (!starts_with(stub.code, stub.at, {0xe9})) return std::nullopt;
  Stub first(memory, stub.relative(5));
  if (!starts_with(first.code, first.at, {0xff, 0x35})) return std::nullopt;
  first.at += 6;
  first.skip_prefix();
  if (!starts_with(first.code, first.at, {0xff, 0x25})) return std::nullopt;
  return memory.pointer(first.relative(6));
}

}  // namespace

std::optional<AddressRange> function_around(const Memory& memory, const capture::ModuleRange& module, Address address) {
  struct Header {
    std::uint8_t version, frame_encoding, count_encoding, table_encoding;
  };
  const Address begin{module.eh_frame_hdr};
  const auto header = begin ? memory.get<Header>(begin) : std::nullopt;
  if (!header || header->version != 1 || header->table_encoding != (data_relative | sdata4)) return std::nullopt;
  Cursor cursor{memory, begin + 4};
  cursor.pointer(header->frame_encoding);
  const std::uint64_t count = cursor.number(header->count_encoding);
  if (cursor.bad || count == 0 || count > module.hdr_size / 8) return std::nullopt;
  struct Row {
    std::int32_t function, entry;
  };
  std::uint64_t low = 0, high = count;  // The last row whose function is not beyond the address.
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    const auto row = memory.get<Row>(cursor.at + middle * sizeof(Row));
    if (!row) return std::nullopt;
    (begin + static_cast<std::uint64_t>(std::int64_t{row->function}) <= address ? low : high) = middle;
  }
  const auto row = memory.get<Row>(cursor.at + low * sizeof(Row));
  const auto range = row ? range_of_entry(memory, begin + static_cast<std::uint64_t>(std::int64_t{row->entry})) : std::nullopt;
  return range && range->holds(address) ? range : std::nullopt;
}

FunctionCode read_function(const Memory& memory, AddressRange range) {
  const std::uint64_t size = range.end.value - range.begin.value;
  if (size > longest_function) return {{}, "it is longer than 4 MB"};
  std::vector<std::uint8_t> bytes(size);
  if (!memory.read(range.begin, bytes.data(), bytes.size())) return {{}, "its code cannot be read"};
  return Decoder().run(bytes, range);
}

bool begins_instruction(const Memory& memory, AddressRange range, Address address) {
  std::vector<std::uint8_t> bytes(range.end.value - range.begin.value);
  if (bytes.size() > longest_function || !memory.read(range.begin, bytes.data(), bytes.size())) return false;
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  ZydisDecodedInstruction instruction;
  Address at = range.begin;
  while (at < address) {
    const std::size_t from = at.value - range.begin.value;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, nullptr, bytes.data() + from, bytes.size() - from, &instruction)))
      return false;
    at = at + instruction.length;
  }
  return at == address;
}

Linked follow_linkage(const Memory& memory, Address address) {
  Stub stub(memory, address);
  stub.skip_prefix();
  if (!starts_with(stub.code, stub.at, {0xff, 0x25})) return {address, false, {}};
  const auto bound = memory.pointer(stub.relative(6));
  if (!bound) return {address, false, {}};
  if (const auto resolver = resolver_behind(memory, *bound)) return {*bound, true, *resolver};
  return {*bound, false, {}};
}

}  // namespace callpath::session
