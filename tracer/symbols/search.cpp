#include "symbols/search.hpp"

#include <gelf.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>

#include "symbols/name_parts.hpp"
#include "symbols/patterns.hpp"
#include "symbols/prologue.hpp"

namespace callpath::dw {
namespace {

bool is_target(const ElfSymbol& s) {
  // An indirect function's symbol is the code that chooses, not the function; a cold part is no place to stop at.
  return s.type == STT_FUNC && !std::strstr(s.name, ".cold");
}

std::set<std::uint64_t> entries_by_symbol(ModuleState& module, const NamePattern& pattern) {
  std::set<std::uint64_t> entries;
  for (const auto& s : module.symbols().all())
    if (is_target(s) && pattern.may_match(s.name) && pattern.matches(demangle(s.name))) entries.insert(s.start);
  return entries;
}

std::set<std::uint64_t> entries_by_dwarf(ModuleState& module, const NamePattern& pattern) {
  std::set<std::uint64_t> entries;
  for (const auto& unit : module.units().all()) {
    const auto& nodes = unit->functions().nodes();
    for (int i = 0; i < static_cast<int>(nodes.size()); ++i)
      if (nodes[i].kind == Node::Kind::function && pattern.matches(module.naming().node(*unit, i, nodes[i].entry).full))
        entries.insert(nodes[i].entry);
  }
  return entries;
}

std::string lower(std::string_view s) {
  std::string text(s);
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// Levenshtein's distance, or `limit` if it is not below it.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) >= limit) return limit;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0], best = row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
      best = std::min(best, row[j]);
    }
    if (best >= limit) return limit;
  }
  return std::min(row[b.size()], limit);
}

/// The position gdb reports for a breakpoint: past a prologue, code of a function inlined there counts as its call's line.
void place_breakpoint(Unit& unit, FoundFunction& found) {
  const std::uint64_t at = found.after_prologue.value;
  const LineRow* row = unit.lines().at(at);
  if (row) found.file = unit.lines().file(row->file), found.line = static_cast<int>(row->line);
  if (unit.locations_valid_at_entry() || at == found.entry.value) return;
  const auto& index = unit.functions();
  const auto chain = index.chain(index.at(at));
  if (chain.size() < 2) return;
  const Node& outermost = index.node(chain[chain.size() - 2]);
  if (outermost.call_line) found.file = unit.die_file(outermost.call_file), found.line = static_cast<int>(outermost.call_line);
}

}  // namespace

FoundFunction describe_function(ModuleState& module, std::uint64_t entry) {
  FoundFunction found;
  Unit* unit = module.units().at(entry);
  const auto chain = unit ? unit->functions().chain(unit->functions().at(entry)) : std::vector<int>{};
  const ElfSymbol* symbol = module.symbols().at(entry);
  if (!chain.empty()) {
    const auto& name = module.naming().node(*unit, chain.back(), entry);
    found.name = name.name, found.full = name.full;
  } else if (symbol) {
    const auto& name = module.naming().symbol(*symbol);
    found.name = name.name, found.full = name.full;
  }
  found.entry = {entry};
  found.after_prologue = {after_prologue(unit, *module.code(), entry)};
  if (unit) place_breakpoint(*unit, found);
  found.enclosing = enclosing_function(found.full, name_parts(found.full));
  return found;
}

std::vector<FoundFunction> find_functions(ModuleState& module, const std::string& pattern) {
  if (!module.code() || pattern.empty()) return {};
  const NamePattern wanted(pattern);
  const bool stripped = module.symbols().table() != ElfSymbols::Table::full && module.has_dwarf();
  std::vector<FoundFunction> found;
  for (const auto entry : stripped ? entries_by_dwarf(module, wanted) : entries_by_symbol(module, wanted))
    found.push_back(describe_function(module, entry));
  return found;
}

void collect_similar(ModuleState& module, const std::string& pattern, std::vector<Similar>& candidates) {
  const auto parts = name_parts(pattern);
  if (parts.empty()) return;
  std::string wanted = lower(parts.back().base);
  std::erase_if(wanted, [](char c) { return c == '*' || c == '?'; });
  if (wanted.empty()) return;
  const std::size_t limit = std::max<std::size_t>(3, wanted.size() / 2);
  std::string last;
  for (const auto& s : module.symbols().all()) {
    if (!is_target(s)) continue;
    const auto full = demangle(s.name);
    const auto given = name_parts(full);
    const auto base = lower(given.back().base);
    const bool inside = wanted.size() >= 3 && base.find(wanted) != base.npos;
    // A name that contains what was asked for is better than any that is only spelled like it.
    const auto distance = inside ? base.size() - wanted.size() : 1000 + edit_distance(wanted, base, limit);
    if (inside || distance < 1000 + limit) candidates.push_back({distance, qualified_name(given)});
  }
}

}  // namespace callpath::dw
