#include "values/scope.hpp"

#include <set>

namespace callpath::dw {
namespace {

constexpr std::size_t most_variables = 200;

bool is_wanted(Die die, int wanted) { return tag(die) == wanted && name_of(die) && !flag(attribute(die, DW_AT_declaration)); }

/// Variables of one kind. What the abstract instance has and this one has not kept is listed too, as gdb does: it was optimised out.
std::vector<Die> children(Die parent, int wanted) {
  std::vector<Die> found;
  std::set<const void*> kept;
  for_each_child(parent, [&](Die child) {
    if (const auto origin = reference(child, DW_AT_abstract_origin)) kept.insert(origin->addr);
    if (is_wanted(child, wanted)) found.push_back(child);
    return found.size() < most_variables;
  });
  const auto abstract = reference(parent, DW_AT_abstract_origin);
  if (!abstract) return found;
  for_each_child(*abstract, [&](Die child) {
    if (is_wanted(child, wanted) && !kept.count(child.addr)) found.push_back(child);
    return found.size() < most_variables;
  });
  return found;
}

std::optional<Die> named(const std::vector<Die>& dies, const std::string& name) {
  for (const auto& die : dies)
    if (name == name_of(die)) return die;
  return std::nullopt;
}

}  // namespace

std::vector<Die> FunctionScope::arguments() const { return children(function, DW_TAG_formal_parameter); }

std::vector<Die> FunctionScope::locals() const {
  std::vector<Die> all;
  for (const auto& block : blocks)
    for (const auto& die : children(block, DW_TAG_variable)) all.push_back(die);
  for (const auto& die : children(function, DW_TAG_variable)) all.push_back(die);
  return all;
}

std::optional<Die> FunctionScope::find(const std::string& name, bool* is_argument) const {
  *is_argument = false;
  if (auto die = named(locals(), name)) return die;
  *is_argument = true;
  return named(arguments(), name);
}

std::optional<Die> physical_at(ModuleState& module, std::uint64_t offset) {
  Unit* unit = module.code() ? module.units().at(offset) : nullptr;
  if (!unit) return std::nullopt;
  const auto chain = unit->functions().chain(unit->functions().at(offset));
  return chain.empty() ? std::nullopt : std::optional(unit->functions().node(chain.back()).die);
}

std::optional<FunctionScope> scope_at(ModuleState& module, std::uint64_t offset, std::size_t depth) {
  Unit* unit = module.code() ? module.units().at(offset) : nullptr;
  if (!unit) return std::nullopt;
  const auto& index = unit->functions();
  const int innermost = index.at(offset);
  const auto chain = index.chain(innermost);
  if (depth >= chain.size()) return std::nullopt;

  FunctionScope scope{unit, index.node(chain[depth]).die, {}};
  const int from = depth == 0 ? innermost : index.node(chain[depth - 1]).parent;
  for (int i = from; i >= 0 && i != chain[depth]; i = index.node(i).parent) scope.blocks.push_back(index.node(i).die);
  return scope;
}

}  // namespace callpath::dw
