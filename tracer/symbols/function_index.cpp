#include "symbols/function_index.hpp"

#include <algorithm>

namespace callpath::dw {
namespace {

constexpr int deepest_nesting = 400;

bool holds_functions(int t) {
  switch (t) {
    case DW_TAG_namespace:
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_module:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
      return true;
    default:
      return false;
  }
}

}  // namespace

FunctionIndex::FunctionIndex(Die unit, const ElfFile& code) : code_(code) {
  walk(unit, -1, 0, 0);
  sweep();
  intervals_.clear();
  intervals_.shrink_to_fit();
}

void FunctionIndex::walk(Die parent, int enclosing, int depth, int nesting) {
  if (nesting > deepest_nesting) return;
  for_each_child(parent, [&](Die child) {
    switch (const int t = tag(child)) {
      case DW_TAG_subprogram:
        add(child, Node::Kind::function, -1, 0, nesting);
        break;
      case DW_TAG_inlined_subroutine:
        add(child, Node::Kind::inlined, enclosing, depth, nesting);
        break;
      case DW_TAG_lexical_block:
        add(child, Node::Kind::block, enclosing, depth, nesting);
        break;
      case DW_TAG_variable:
      case DW_TAG_formal_parameter:
        note_location(child);
        break;
      default:
        if (holds_functions(t)) walk(child, enclosing, depth, nesting + 1);
    }
    return true;
  });
}

void FunctionIndex::add(Die die, Node::Kind kind, int enclosing, int depth, int nesting) {
  auto ranges = ranges_of(die);
  std::erase_if(ranges, [&](const Range& r) { return !code_.is_code(r.begin); });
  if (ranges.empty()) return walk(die, enclosing, depth, nesting + 1);  // abstract, or a block that is not code: look further inside

  const int self = static_cast<int>(nodes_.size());
  Node node{die, enclosing, kind, ranges.front().begin, 0, 0};
  if (kind == Node::Kind::inlined) {
    node.call_file = static_cast<std::uint32_t>(number(attribute(die, DW_AT_call_file)).value_or(0));
    node.call_line = static_cast<std::uint32_t>(number(attribute(die, DW_AT_call_line)).value_or(0));
  }
  nodes_.push_back(node);
  for (const auto& r : ranges) intervals_.push_back({r, depth, self});
  walk(die, self, depth + 1, nesting + 1);
}

void FunctionIndex::note_location(Die variable) {
  if (has_location_lists_) return;
  const auto location = attribute(variable, DW_AT_location);
  if (!location) return;
  const auto form = location->form;
  has_location_lists_ = form == DW_FORM_sec_offset || form == DW_FORM_loclistx || form == DW_FORM_data4 || form == DW_FORM_data8;
}

void FunctionIndex::sweep() {
  std::vector<std::uint64_t> boundaries;
  for (const auto& i : intervals_) boundaries.insert(boundaries.end(), {i.range.begin, i.range.end});
  std::sort(boundaries.begin(), boundaries.end());
  boundaries.erase(std::unique(boundaries.begin(), boundaries.end()), boundaries.end());
  std::stable_sort(intervals_.begin(), intervals_.end(),
                   [](const Interval& a, const Interval& b) { return a.range.begin < b.range.begin; });

  std::vector<const Interval*> active;
  std::size_t next = 0;
  for (const auto boundary : boundaries) {
    std::erase_if(active, [&](const Interval* i) { return i->range.end <= boundary; });
    for (; next < intervals_.size() && intervals_[next].range.begin == boundary; ++next) active.push_back(&intervals_[next]);
    const Interval* deepest = nullptr;
    for (const auto* i : active)
      if (!deepest || i->depth > deepest->depth) deepest = i;
    const int owner = deepest ? deepest->node : -1;
    if (!owners_.empty() && owners_.back() == owner) continue;
    starts_.push_back(boundary);
    owners_.push_back(owner);
  }
}

int FunctionIndex::at(std::uint64_t offset) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  return after == starts_.begin() ? -1 : owners_[after - starts_.begin() - 1];
}

std::vector<int> FunctionIndex::chain(int innermost) const {
  std::vector<int> functions;
  for (int i = innermost; i >= 0; i = nodes_[i].parent)
    if (nodes_[i].kind != Node::Kind::block) functions.push_back(i);
  return functions;
}

Range FunctionIndex::range_around(int function, std::uint64_t offset) const {
  for (const auto& r : ranges_of(nodes_[function].die))
    if (r.contains(offset)) return r;
  return {};
}

}  // namespace callpath::dw
