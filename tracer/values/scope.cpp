#include "values/scope.hpp"

namespace callpath::dw {
namespace {

constexpr std::size_t most_variables = 200;

std::vector<Die> children(Die parent, int wanted) {
  std::vector<Die> found;
  for_each_child(parent, [&](Die child) {
    if (tag(child) == wanted && name_of(child) && !flag(attribute(child, DW_AT_declaration))) found.push_back(child);
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

std::optional<FunctionScope> scope_at(ModuleState& module, std::uint64_t offset, std::size_t depth) {
  Unit* unit = module.code() ? module.units().at(offset) : nullptr;
  if (!unit) return std::nullopt;
  const auto& index = unit->functions();
  const int innermost = index.at(offset);
  const auto chain = index.chain(innermost);
  if (depth >= chain.size()) return std::nullopt;

  FunctionScope scope{unit, index.node(chain[depth]).die, index.node(chain.back()).die, {}};
  const int from = depth == 0 ? innermost : index.node(chain[depth - 1]).parent;
  for (int i = from; i >= 0 && i != chain[depth]; i = index.node(i).parent) scope.blocks.push_back(index.node(i).die);
  return scope;
}

}  // namespace callpath::dw
