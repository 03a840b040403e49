#include "tables/functions.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace callpath::tables {
namespace {

constexpr int most_headers = 128;
constexpr std::uint32_t most_rows = 16u << 20;

/// Encodings of pointers in .eh_frame (DW_EH_PE_*), as far as linkers and compilers use them on x86-64.
enum : std::uint8_t { absolute = 0x00, unsigned_4 = 0x03, signed_4 = 0x0b, signed_8 = 0x0c, form = 0x0f, from_header = 0x30 };

std::vector<Elf64_Phdr> program_headers(const Memory& memory, Address header_at) {
  const auto header = memory.get<Elf64_Ehdr>(header_at);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_phentsize != sizeof(Elf64_Phdr)) return {};
  if (header->e_phnum > most_headers) return {};
  std::vector<Elf64_Phdr> headers(header->e_phnum);
  if (!memory.read(header_at + header->e_phoff, headers.data(), headers.size() * sizeof(Elf64_Phdr))) return {};
  return headers;
}

std::size_t size_of(std::uint8_t encoding) {
  switch (encoding & form) {
    case unsigned_4:
    case signed_4:
      return 4;
    case absolute:
    case signed_8:
      return 8;
    default:
      return 0;
  }
}

/// How the entries of a common information entry write addresses; nothing if that cannot be told.
std::optional<std::uint8_t> address_encoding(const Memory& memory, Address at) {
  std::uint8_t bytes[64];
  if (!memory.read(at, bytes, sizeof bytes)) return std::nullopt;
  std::size_t i = 9;  // behind length, identifier and version
  const auto* augmentation = reinterpret_cast<const char*>(bytes + i);
  const std::size_t length = strnlen(augmentation, 8);
  if (length == 8 || (length && augmentation[0] != 'z')) return std::nullopt;
  i += length + 1;
  const auto skip_leb = [&] {
    while (i < sizeof bytes && (bytes[i] & 0x80)) ++i;
    ++i;
  };
  skip_leb();                              // code alignment
  skip_leb();                              // data alignment
  bytes[8] == 1 ? void(++i) : skip_leb();  // return address register
  if (!length) return absolute;
  skip_leb();  // size of what follows
  for (std::size_t n = 1; n < length && i < sizeof bytes; ++n) {
    if (augmentation[n] == 'R') return bytes[i];
    if (augmentation[n] == 'P')
      i += 1 + size_of(bytes[i]);
    else if (augmentation[n] == 'L')
      ++i;
    else if (augmentation[n] != 'S' && augmentation[n] != 'B')
      return std::nullopt;
  }
  return absolute;
}

/// How many bytes of code an unwind entry describes.
std::optional<std::uint64_t> covered(const Memory& memory, Address entry) {
  const auto length = memory.get<std::uint32_t>(entry);
  const auto back = memory.get<std::uint32_t>(entry + 4);
  if (!length || *length < 12 || *length == 0xffffffff || !back || !*back) return std::nullopt;
  const auto encoding = address_encoding(memory, entry + 4 - *back);
  const std::size_t size = encoding ? size_of(*encoding) : 0;
  if (size == 4) return memory.get<std::uint32_t>(entry + 8 + size);
  if (size == 8) return memory.get<std::uint64_t>(entry + 8 + size);
  return std::nullopt;
}

}  // namespace

Layout read_layout(const Module& module, const Memory& memory) {
  Layout layout;
  if (module.segments.empty()) return layout;
  constexpr std::uint64_t page = 4096;
  for (const auto& header : program_headers(memory, {module.segments.front().begin.value & ~(page - 1)})) {
    const Address begin{module.bias + header.p_vaddr};
    if (header.p_type == PT_GNU_EH_FRAME) layout.unwind_header = {begin, begin + header.p_memsz};
    if (header.p_type == PT_LOAD && (header.p_flags & PF_W)) layout.writable.push_back({begin, begin + header.p_memsz});
  }
  return layout;
}

const FunctionExtents::Table& FunctionExtents::table(const Module& module, const Memory& memory) {
  const auto [place, is_new] = tables_.try_emplace({module.path + '\n' + module.build_id, module.bias});
  Table& table = place->second;
  if (!is_new) return table;
  const Extent header = read_layout(module, memory).unwind_header;
  std::uint8_t start[12];  // version, three encodings, address of .eh_frame, count
  if (!header.begin || !memory.read(header.begin, start, sizeof start)) return table;
  const bool usual = start[0] == 1 && size_of(start[1]) == 4 && start[2] == unsigned_4 && start[3] == (from_header | signed_4);
  std::uint32_t count = 0;
  std::memcpy(&count, start + 8, sizeof count);
  if (!usual || count > most_rows || header.begin + sizeof start + count * sizeof(Row) > header.end) return table;
  table.header = header.begin.value;
  table.rows.resize(count);
  if (count && !memory.read(header.begin + sizeof start, table.rows.data(), count * sizeof(Row))) table.rows.clear();
  return table;
}

std::optional<Extent> FunctionExtents::at(const Module& module, const Memory& memory, Address address) {
  const Table& known = table(module, memory);
  const auto distance = static_cast<std::int64_t>(address.value - known.header);
  auto after = std::upper_bound(known.rows.begin(), known.rows.end(), distance,
                                [](std::int64_t wanted, const Row& row) { return wanted < row.start; });
  if (after == known.rows.begin()) return std::nullopt;
  const Row& row = *--after;
  const auto from_header_by = [&](std::int32_t distance) {
    return Address{known.header + static_cast<std::uint64_t>(std::int64_t{distance})};
  };
  const Address begin = from_header_by(row.start);
  const auto size = covered(memory, from_header_by(row.entry));
  if (!size || address.value - begin.value >= *size) return std::nullopt;
  return Extent{begin, begin + *size};
}

}  // namespace callpath::tables
