#include "tables/table_names.hpp"

#include <algorithm>

#include "tables/resolver.hpp"
#include "tables/roles.hpp"

namespace callpath::tables {

void TableNames::resolve(std::vector<Address> functions, const std::vector<Module>& modules, const Memory& memory, const Heap& heap) {
  std::sort(functions.begin(), functions.end());
  functions.erase(std::unique(functions.begin(), functions.end()), functions.end());
  const auto is_known = [&](Address f) { return known_.count(key(*find_module(modules, f), f)) > 0; };
  functions.erase(std::remove_if(functions.begin(), functions.end(), is_known), functions.end());
  if (functions.empty()) return;
  Resolver resolver(symbols_, modules, memory, heap);
  const auto found = resolver.run(functions);
  left_out_ = std::max(left_out_, resolver.left_out());
  for (const Address function : functions) {
    const auto reading = found.find(function);
    known_[key(*find_module(modules, function), function)] = reading == found.end() ? std::nullopt : std::optional(reading->second);
  }
}

std::vector<std::optional<Reading>> TableNames::name(const std::vector<Place>& stack, const std::vector<Module>& modules,
                                                     const Memory& memory, const Heap& heap) {
  std::vector<std::optional<Reading>> names(stack.size());
  std::vector<std::optional<Extent>> extents(stack.size());
  if (std::none_of(stack.begin(), stack.end(), [](const Place& p) { return p.nameless && p.module; })) return names;

  std::vector<Address> unknown;
  for (std::size_t i = 0; i < stack.size(); ++i) {
    if (!stack[i].module) continue;
    extents[i] = extents_.at(*stack[i].module, memory, stack[i].lookup);
    if (stack[i].nameless && extents[i]) unknown.push_back(extents[i]->begin);
  }
  resolve(unknown, modules, memory, heap);
  for (std::size_t i = 0; i < stack.size(); ++i)
    if (stack[i].nameless && extents[i]) names[i] = known_.at(key(*stack[i].module, extents[i]->begin));
  const auto name_of = [&](Address function) -> std::optional<std::string> {
    const Module& module = *find_module(modules, function);
    const auto by_symbol = symbols_.at(module, module.offset(function)).back();
    if (by_symbol.confidence != Confidence::module) return by_symbol.name;
    resolve({function}, modules, memory, heap);
    const auto& reading = known_.at(key(module, function));
    return reading ? std::optional(reading->name) : std::nullopt;
  };
  Roles(symbols_, modules, memory, stack, extents, names, extents_, name_of).fill();
  return names;
}

}  // namespace callpath::tables
