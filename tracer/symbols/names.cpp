#include "symbols/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "symbols/module_state.hpp"
#include "symbols/name_parts.hpp"

namespace callpath::dw {
namespace {

ResolvedName from_full(std::string full) {
  ResolvedName r;
  r.name = callpath::short_name(full);
  if (full.find(".cold") != full.npos) r.note = "cold part";
  if (full.compare(0, 2, "_Z") == 0) r.note += r.note.empty() ? "no demangler takes this name" : "; no demangler takes this name";
  r.full = std::move(full);
  return r;
}

/// Not dwarf_decl_file: libdw 0.188 takes file 0 for none, which since DWARF 5 is the unit's own.
const char* declaring_file(Die die) {
  const auto index = number(attribute(die, DW_AT_decl_file));
  Die unit = unit_of(die);
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (!index || dwarf_getsrcfiles(&unit, &files, &count) != 0 || *index >= count) return nullptr;
  return dwarf_filesrc(files, *index, nullptr, nullptr);
}

}  // namespace

const ResolvedName& Naming::keep(ResolvedName r) { return kept_.emplace_back(std::move(r)); }

const ResolvedName& Naming::symbol(const ElfSymbol& s) {
  auto& place = by_symbol_[&s];
  if (!place) place = &keep(from_full(demangle(s.name)));
  return *place;
}

ResolvedName Naming::die(Die function) {
  ResolvedName r = from_full(module_.die_names().function_name(function));
  add_origin(r, function);
  return r;
}

/// Where a lambda was written is said of its operator(), or else of its type.
void Naming::add_origin(ResolvedName& r, Die function) {
  r.origin = lambda_origin(name_parts(r.full));
  if (r.origin.empty()) return;
  for (Die die : module_.die_names().enclosing(function)) {
    const auto line = number(attribute(die, DW_AT_decl_line)).value_or(0);
    const char* file = declaring_file(die);
    if (tag(die) == DW_TAG_namespace || !file || line == 0) continue;
    const char* slash = std::strrchr(file, '/');
    r.origin += fmt::format(", {}:{}", slash ? slash + 1 : file, line);
    return;
  }
}

const ResolvedName& Naming::node(Unit& unit, int index, std::uint64_t offset) {
  auto& slots = slots_[&unit.functions()];
  if (slots.empty()) slots.resize(unit.functions().nodes().size());
  Slot& slot = slots[index];
  if (slot.name && slot.range.contains(offset)) return *slot.name;
  if (unit.functions().node(index).kind == Node::Kind::function) return physical(unit, index, offset, slot);
  slot = {{0, ~0ull}, &inlined(unit, index)};
  return *slot.name;
}

std::pair<Range, const ResolvedName*> Naming::physical_name(Unit& unit, int index, std::uint64_t offset) {
  Slot slot;
  const ResolvedName& name = physical(unit, index, offset, slot);
  return {slot.range, &name};
}

const ResolvedName& Naming::inlined(Unit& unit, int index) {
  const Die copy = unit.functions().node(index).die;
  const auto origin = reference(copy, DW_AT_abstract_origin);
  auto& known = by_origin_[origin ? origin->addr : copy.addr];
  if (known) return *known;
  auto& place = by_declaration_[declaration_of(copy).addr];
  if (!place) place = &keep(die(copy));
  return *(known = place);
}

/// Among the ELF symbols at an address the one that is this function's: clones and parts carry its name and a suffix; lambdas and other
/// local C++ functions have no linkage name in GCC's DWARF, so there any mangled symbol speaks for them.
const ElfSymbol* Naming::symbol_of_function(Unit& unit, Die function, std::uint64_t offset) {
  const ElfSymbol* here = module_.symbols().at(offset);
  if (!here) return nullptr;
  const char* linkage = text(attribute_of_origin(function, DW_AT_linkage_name));
  const char* name = linkage ? linkage : name_of(function);
  const auto aliases = module_.symbols().starting_at(here->start);
  for (const auto* s : aliases)
    if (name && without_clone_suffix(s->name) == name) return s;
  if (linkage || !unit.cplusplus()) return nullptr;
  for (const auto* s : aliases)
    if (std::strncmp(s->name, "_Z", 2) == 0) return s;
  return nullptr;
}

const ResolvedName& Naming::physical(Unit& unit, int index, std::uint64_t offset, Slot& slot) {
  const Node& node = unit.functions().node(index);
  Range range = unit.functions().range_around(index, offset);
  const ElfSymbol* symbol = symbol_of_function(unit, node.die, offset);
  if (symbol) {
    range = {std::max(range.begin, symbol->start), std::min(range.end, symbol->start + symbol->size)};
    const ResolvedName& name = this->symbol(*symbol);
    slot = {range, &name};
    if (lambda_origin(name_parts(name.full)).empty()) return name;
    ResolvedName with_origin = name;
    add_origin(with_origin, node.die);
    return *(slot.name = &keep(std::move(with_origin)));
  }
  ResolvedName made = die(node.die);
  if (!range.contains(node.entry)) made.note = "cold part";
  slot = {range, &keep(std::move(made))};
  return *slot.name;
}

}  // namespace callpath::dw
