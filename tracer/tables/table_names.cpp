#include "tables/table_names.hpp"

#include <algorithm>

#include "tables/resolver.hpp"
#include "tables/roles.hpp"

namespace callpath::tables {

std::vector<std::optional<Reading>> TableNames::name(const std::vector<Place>& stack, const std::vector<Module>& modules,
                                                     const Memory& memory, const Heap& heap) {
  std::vector<std::optional<Reading>> names(stack.size());
  std::vector<std::optional<Extent>> extents(stack.size());
  if (std::none_of(stack.begin(), stack.end(), [](const Place& p) { return p.nameless && p.module; })) return names;

  std::vector<Address> unknown;
  for (std::size_t i = 0; i < stack.size(); ++i) {
    if (!stack[i].module) continue;
    extents[i] = extents_.at(*stack[i].module, memory, stack[i].lookup);
    if (stack[i].nameless && extents[i] && !known_.count(key(*stack[i].module, extents[i]->begin))) unknown.push_back(extents[i]->begin);
  }
  std::sort(unknown.begin(), unknown.end());
  unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
  if (!unknown.empty()) {
    Resolver resolver(symbols_, modules, memory, heap);
    const auto found = resolver.run(unknown);
    left_out_ = resolver.left_out();
    for (const Address function : unknown) {
      const auto reading = found.find(function);
      known_[key(*find_module(modules, function), function)] = reading == found.end() ? std::nullopt : std::optional(reading->second);
    }
  }
  for (std::size_t i = 0; i < stack.size(); ++i)
    if (stack[i].nameless && extents[i]) names[i] = known_.at(key(*stack[i].module, extents[i]->begin));
  Roles(symbols_, modules, memory, stack, extents, names, extents_).fill();
  return names;
}

}  // namespace callpath::tables
