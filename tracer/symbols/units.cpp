#include "symbols/units.hpp"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <unordered_map>

namespace callpath::dw {
namespace {

/// Major version of the GCC that a producer string names ("GNU C++17 12.2.0 -O2"), 0 if it is another compiler.
int gcc_version(const std::string& producer) {
  int major = 0, minor = 0;
  if (producer.rfind("GNU ", 0) != 0 || producer.rfind("GNU AS ", 0) == 0) return 0;
  const auto space = producer.find(' ', 4);
  if (space == producer.npos || std::sscanf(producer.c_str() + space, "%d.%d", &major, &minor) != 2) return 0;
  return major == 4 && minor < 5 ? 3 : major;
}

std::string missing_split_name(Die skeleton, const Die& split) {
  if (split.addr) return {};
  auto name = text(attribute(skeleton, DW_AT_dwo_name));
  if (!name) name = text(attribute(skeleton, DW_AT_GNU_dwo_name));
  return name ? name : "";
}

}  // namespace

Unit::Unit(Die skeleton, Die body, std::string missing_split, const ElfFile& code)
    : skeleton_(skeleton), body_(body), missing_split_(std::move(missing_split)), cplusplus_(is_cplusplus(body)), code_(code) {
  if (const char* name = text(attribute(body_, DW_AT_producer))) producer_ = name;
}

const FunctionIndex& Unit::functions() {
  if (!functions_) functions_ = std::make_unique<FunctionIndex>(body_, code_);
  return *functions_;
}

const LineTable& Unit::lines() {
  if (!lines_) lines_ = std::make_unique<LineTable>(skeleton_, code_);
  return *lines_;
}

const std::string& Unit::die_file(std::uint32_t index) {
  static const std::string none;
  if (!files_) files_ = std::make_unique<std::vector<std::string>>(unit_files(body_));
  return index < files_->size() ? (*files_)[index] : none;
}

bool Unit::made_by_llvm() const { return producer_.find("clang ") != producer_.npos || producer_.find(" F90 Flang ") != producer_.npos; }

bool Unit::locations_valid_at_entry() { return gcc_version(producer_) > 3 && functions().has_location_lists(); }

Units::Units(Dwarf* dwarf, const ElfFile* code) : code_(code) {
  if (!dwarf || !code) return;
  list_units(dwarf);
  span_from_aranges(dwarf);
  span_from_units();
  sort_spans();
}

void Units::list_units(Dwarf* dwarf) {
  constexpr std::size_t most = 500'000;
  Dwarf_CU* unit = nullptr;
  Die die, split;
  std::uint8_t type = 0;
  while (units_.size() < most && dwarf_get_units(dwarf, unit, &unit, nullptr, &type, &die, &split) == 0) {
    if (type == DW_UT_type && type_units_.size() < most) type_units_.push_back(die);
    if (type != DW_UT_compile && type != DW_UT_skeleton) continue;
    const bool skeleton = type == DW_UT_skeleton;
    units_.push_back(std::make_unique<Unit>(die, skeleton && split.addr ? split : die,
                                            skeleton ? missing_split_name(die, split) : std::string(), *code_));
  }
  in_aranges_.assign(units_.size(), false);
}

/// GCC writes .debug_aranges, clang does not.
void Units::span_from_aranges(Dwarf* dwarf) {
  Dwarf_Aranges* table = nullptr;
  std::size_t count = 0;
  if (dwarf_getaranges(dwarf, &table, &count) != 0) return;
  std::unordered_map<Dwarf_Off, int> by_offset;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    Die die = units_[i]->skeleton();
    by_offset[dwarf_dieoffset(&die)] = static_cast<int>(i);
  }
  for (std::size_t i = 0; i < count; ++i) {
    Dwarf_Addr begin = 0;
    Dwarf_Word length = 0;
    Dwarf_Off offset = 0;
    if (dwarf_getarangeinfo(dwarf_onearange(table, i), &begin, &length, &offset) != 0) continue;
    const auto unit = by_offset.find(offset);
    if (unit == by_offset.end() || length == 0) continue;
    in_aranges_[unit->second] = true;
    if (code_->is_code(begin)) spans_.push_back({{begin, begin + length}, unit->second});
  }
}

void Units::span_from_units() {
  for (std::size_t i = 0; i < units_.size(); ++i) {
    if (in_aranges_[i]) continue;
    for (const auto& r : ranges_of(units_[i]->skeleton()))
      if (code_->is_code(r.begin)) spans_.push_back({r, static_cast<int>(i)});
  }
}

void Units::sort_spans() {
  std::stable_sort(spans_.begin(), spans_.end(), [](const Span& a, const Span& b) { return a.range.begin < b.range.begin; });
  std::uint64_t reach = 0;
  for (const auto& s : spans_) reach_.push_back(reach = std::max(reach, s.range.end));
}

int Units::number_at(std::uint64_t offset) const {
  auto after = std::upper_bound(spans_.begin(), spans_.end(), offset, [](std::uint64_t a, const Span& s) { return a < s.range.begin; });
  for (auto i = after - spans_.begin(); i-- > 0 && reach_[i] > offset;)
    if (spans_[i].range.contains(offset)) return spans_[i].unit;
  return -1;
}

Unit* Units::at(std::uint64_t offset) {
  const int number = number_at(offset);
  return number < 0 ? nullptr : units_[number].get();
}

std::vector<std::uint64_t> Units::boundaries() const {
  std::vector<std::uint64_t> all;
  for (const auto& s : spans_) all.insert(all.end(), {s.range.begin, s.range.end});
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<std::string> Units::missing_splits() const {
  std::vector<std::string> names;
  for (const auto& u : units_)
    if (!u->missing_split().empty()) names.push_back(u->missing_split());
  return names;
}

}  // namespace callpath::dw
