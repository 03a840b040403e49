// The copies of a function that stand inside other functions.
#include <algorithm>
#include <unordered_set>

#include "symbols/patterns.hpp"
#include "symbols/search.hpp"

namespace callpath::dw {
namespace {

bool is_scope(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

bool has_inlined_copies(Die die) {
  const auto how = number(attribute(die, DW_AT_inline));
  return how && (*how == DW_INL_inlined || *how == DW_INL_declared_inlined);
}

/// The descriptions from which inlined copies are made, of one name. Looking at them is quick; at all copies in a file it is not.
class Originals {
 public:
  Originals(ModuleState& module, const NamePattern& pattern) : module_(module), pattern_(pattern) {
    for (const auto& unit : module.units().all()) look_into(unit->body(), 0);
  }
  bool empty() const { return offsets_.empty(); }
  bool hold(Die die) const { return offsets_.count(dwarf_dieoffset(&die)) != 0; }

 private:
  void look_into(Die parent, int depth) {
    constexpr int deepest = 64;
    if (depth > deepest) return;
    for_each_child(parent, [&](Die die) {
      if (is_scope(tag(die))) look_into(die, depth + 1);
      if (tag(die) != DW_TAG_subprogram || !has_inlined_copies(die)) return true;
      look_into(die, depth + 1);  // lambdas
      const char* linkage = text(attribute_of_origin(die, DW_AT_linkage_name));
      const char* name = name_of(die);
      const bool likely = (linkage && pattern_.may_match(linkage)) || (name && pattern_.may_match(name));
      if (likely && pattern_.matches(module_.naming().die(die).full)) offsets_.insert(dwarf_dieoffset(&die));
      return true;
    });
  }

  ModuleState& module_;
  const NamePattern& pattern_;
  std::unordered_set<Dwarf_Off> offsets_;
};

FoundFunction describe_copy(ModuleState& module, Unit& unit, int node) {
  // Not DW_AT_entry_pc, which may lie before all ranges (a view of zero length): gdb stops at the first range, too.
  const std::uint64_t entry = unit.functions().node(node).entry;
  FoundFunction found;
  found.entry = found.after_prologue = {entry};
  const auto& name = module.naming().node(unit, node, entry);
  found.name = name.name, found.full = name.full;
  if (const LineRow* row = unit.lines().at(entry)) found.file = unit.lines().file(row->file), found.line = static_cast<int>(row->line);
  return found;
}

}  // namespace

std::vector<FoundFunction> find_inlined(ModuleState& module, const std::string& pattern) {
  std::vector<FoundFunction> found;
  if (!module.code() || pattern.empty() || !module.has_dwarf()) return found;
  const NamePattern wanted(pattern);
  if (wanted.may_match("")) return found;  // Nothing in it tells names apart quickly.
  const Originals originals(module, wanted);
  if (originals.empty()) return found;
  for (const auto& unit : module.units().all()) {
    const auto& nodes = unit->functions().nodes();
    for (int i = 0; i < static_cast<int>(nodes.size()); ++i) {
      if (nodes[static_cast<std::size_t>(i)].kind != Node::Kind::inlined) continue;
      const auto origin = reference(nodes[static_cast<std::size_t>(i)].die, DW_AT_abstract_origin);
      if (origin && originals.hold(*origin)) found.push_back(describe_copy(module, *unit, i));
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.entry < b.entry; });
  found.erase(std::unique(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.entry == b.entry; }), found.end());
  return found;
}

}  // namespace callpath::dw
