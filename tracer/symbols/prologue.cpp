#include "symbols/prologue.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>

namespace callpath::dw {
namespace {

struct Code {
  std::uint8_t bytes[32] = {};
  bool is(std::size_t at, std::initializer_list<std::uint8_t> expected) const {
    return at + expected.size() <= sizeof bytes && std::equal(expected.begin(), expected.end(), bytes + at);
  }
};

/// Bytes of the sequence that aligns the stack: [push %reg], lea N(%rsp),%reg, and $-M,%rsp, push -8(%reg). 0 if it is not there.
std::size_t stack_alignment(const Code& code) {
  std::size_t at = 0;
  std::uint8_t displacement = 8;
  if (code.bytes[0] >= 0x50 && code.bytes[0] <= 0x57)
    at = 1, displacement = 16;
  else if (code.bytes[0] == 0x41 && code.bytes[1] >= 0x50 && code.bytes[1] <= 0x57)
    at = 2, displacement = 16;
  if ((code.bytes[at] & 0xfb) != 0x48 || code.bytes[at + 1] != 0x8d) return 0;
  if ((code.bytes[at + 2] & 0xc7) != 0x44 || !code.is(at + 3, {0x24, displacement})) return 0;
  at += 5;
  if (code.is(at, {0x48, 0x83, 0xe4}))
    at += 4;
  else if (code.is(at, {0x48, 0x81, 0xe4}))
    at += 7;
  else
    return 0;
  if (code.bytes[at] == 0x41) ++at;
  if (code.bytes[at] != 0xff || (code.bytes[at + 1] & 0xf8) != 0x70 || code.bytes[at + 2] != 0xf8) return 0;
  return at + 3;
}

/// One past `push %rbp; mov %rsp,%rbp`; the entry itself if the function has no such frame.
std::uint64_t after_frame_setup(const ElfFile& file, std::uint64_t entry) {
  Code code;
  if (!file.read(entry, code.bytes, sizeof code.bytes) && !file.read(entry, code.bytes, 16)) return entry;
  std::size_t at = stack_alignment(code);
  if (code.is(at, {0xf3, 0x0f, 0x1e, 0xfa})) at += 4;  // endbr64
  if (!code.is(at, {0x55})) return entry;
  if (code.is(at + 1, {0x48, 0x89, 0xe5}) || code.is(at + 1, {0x48, 0x8b, 0xec})) return entry + at + 4;
  return entry;
}

struct Line {
  std::uint64_t begin = 0, end = 0;
  std::uint32_t number = 0, file = 0;
};

Line line_at(Unit& unit, std::uint64_t offset) {
  const LineRow* row = unit.lines().at(offset);
  if (!row) return {};
  return {row->address, unit.lines().next_address(offset), row->line, row->file};
}

bool in_inlined(Unit& unit, std::uint64_t offset) {
  for (int i = unit.functions().at(offset); i >= 0; i = unit.functions().node(i).parent)
    if (unit.functions().node(i).kind == Node::Kind::inlined) return true;
  return false;
}

/// Two rows at the first address: a function without a prologue.
bool second_row_at_entry(Unit& unit, const Line& first) {
  const auto& rows = unit.lines().rows();
  auto row =
      std::find_if(rows.begin(), rows.end(), [&](const LineRow& r) { return r.address == first.begin && r.file == first.file && !r.end; });
  if (row == rows.end()) return false;
  for (++row; row != rows.end() && !row->end; ++row)
    if (row->file == first.file) return row->address == first.begin;
  return false;
}

/// The row that clang marks as the first after the prologue; 0 if there is none.
std::uint64_t marked_end(Unit& unit, std::uint64_t entry, std::uint64_t function_end) {
  const auto& rows = unit.lines().rows();
  auto row = std::lower_bound(rows.begin(), rows.end(), entry, [](const LineRow& r, std::uint64_t a) { return r.address < a; });
  for (; row != rows.end() && row->address < function_end; ++row)
    if (row->prologue_end) return row->address;
  return 0;
}

/// For clang, which marks the end of the prologue by a second row.
std::uint64_t by_line_rows(Unit& unit, std::uint64_t entry, std::uint64_t function_end) {
  Line prologue = line_at(unit, entry);
  if (prologue.number == 0) return 0;
  if (const auto marked = marked_end(unit, entry, function_end)) return marked;
  if (second_row_at_entry(unit, prologue)) return entry;
  if (prologue.end >= function_end) return 0;
  while (prologue.end < function_end) {
    const Line next = line_at(unit, prologue.end);
    if (next.number == 0 || next.number >= prologue.number || next.file != prologue.file || in_inlined(unit, prologue.end)) break;
    prologue = next;
  }
  return prologue.end < function_end ? prologue.end : prologue.begin;
}

}  // namespace

std::uint64_t after_prologue(Unit* unit, const ElfFile& code, std::uint64_t entry) {
  if (!unit) return after_frame_setup(code, entry);
  const Line first = line_at(*unit, entry);
  if (first.number && unit->locations_valid_at_entry()) return entry;

  const auto chain = unit->functions().chain(unit->functions().at(entry));
  const Range body = chain.empty() ? Range{} : unit->functions().range_around(chain.back(), entry);
  std::uint64_t pc = 0;
  if (unit->made_by_llvm()) pc = by_line_rows(*unit, entry, body.end);
  pc = pc ? std::max(pc, entry) : after_frame_setup(code, entry);

  const Line here = line_at(*unit, pc);  // in the middle of a line: go on to the next
  if (here.number && here.begin != pc && body.begin <= here.end && here.end < body.end) pc = here.end;
  return pc;
}

}  // namespace callpath::dw
