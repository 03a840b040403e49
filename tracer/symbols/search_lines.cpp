// Source positions, by the rules of gdb 13's linespecs.
#include <algorithm>
#include <map>
#include <set>

#include "symbols/name_parts.hpp"
#include "symbols/prologue.hpp"
#include "symbols/search.hpp"

namespace callpath::dw {
namespace {

bool ends_with_path(const std::string& path, const std::string& wanted) {
  if (wanted.size() > path.size() || path.compare(path.size() - wanted.size(), wanted.size(), wanted) != 0) return false;
  return wanted.size() == path.size() || wanted[0] == '/' || path[path.size() - wanted.size() - 1] == '/';
}

struct Place {
  Unit* unit;
  std::uint64_t address;
};

class LineSearch {
 public:
  LineSearch(ModuleState& module, const std::string& file) : module_(module) {
    for (const auto& unit : module.units().all()) add_rows(*unit, file);
  }

  /// Code of the line or, if it has none, of the next line that has.
  std::vector<Place> places(int line) const {
    const auto found = rows_.lower_bound(line);
    if (found == rows_.end()) return {};
    std::vector<Place> all;
    std::set<std::pair<Unit*, int>> blocks;
    for (const auto& place : found->second) {
      const int block = place.unit->functions().at(place.address);
      if (blocks.insert({place.unit, block}).second) all.push_back(place);  // of the pieces in one block the first
    }
    return all;
  }

 private:
  void add_rows(Unit& unit, const std::string& file) {
    const auto& table = unit.lines();
    std::vector<bool> wanted;
    for (const auto& name : table.files()) wanted.push_back(ends_with_path(name, file));
    if (std::find(wanted.begin(), wanted.end(), true) == wanted.end()) return;
    for (const auto& row : table.rows())
      if (!row.end && row.statement && row.file < wanted.size() && wanted[row.file])
        rows_[static_cast<int>(row.line)].push_back({&unit, row.address});
  }

  ModuleState& module_;
  std::map<int, std::vector<Place>> rows_;
};

FoundFunction describe_place(ModuleState& module, const Place& place) {
  Unit& unit = *place.unit;
  const auto chain = unit.functions().chain(unit.functions().at(place.address));
  FoundFunction found;
  found.entry = found.after_prologue = {place.address};
  if (!chain.empty()) {
    const auto& name = module.naming().node(unit, chain.front(), place.address);
    found.name = name.name, found.full = name.full;
    found.enclosing = enclosing_function(found.full, name_parts(found.full));
    found.entry = {unit.functions().node(chain.back()).entry};
    const auto body = after_prologue(&unit, *module.code(), found.entry.value);
    const bool in_entry_range = unit.functions().range_around(chain.back(), place.address).contains(found.entry.value);
    if (in_entry_range && place.address < body) found.after_prologue = {body};
  }
  if (const LineRow* row = unit.lines().at(found.after_prologue.value)) {
    found.file = unit.lines().file(row->file);
    found.line = static_cast<int>(row->line);
  }
  return found;
}

}  // namespace

std::vector<FoundFunction> find_at_line(ModuleState& module, const std::string& file, int line) {
  if (!module.code() || file.empty() || line < 1) return {};
  const LineSearch search(module, file);
  std::vector<FoundFunction> found;
  std::set<std::uint64_t> seen;
  for (const auto& place : search.places(line)) {
    auto one = describe_place(module, place);
    if (seen.insert(one.after_prologue.value).second) found.push_back(std::move(one));
  }
  return found;
}

}  // namespace callpath::dw
