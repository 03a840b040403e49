#include "tables/resolver.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tables/exported_data.hpp"

namespace callpath::tables {
namespace {

/// More than that of a program's memory is not searched: it would take seconds.
constexpr std::uint64_t search_limit = 2ull << 30;
constexpr std::size_t most_unexplained = 64;

std::vector<Extent> exactly(const std::vector<Address>& addresses) {
  std::vector<Extent> ranges;
  for (const Address a : addresses) ranges.push_back({a, a + 1});
  return ranges;
}

}  // namespace

void Resolver::add(Address function, const Reading& reading) {
  auto& all = readings_[function];
  if (std::none_of(all.begin(), all.end(), [&](const Reading& r) { return r.full == reading.full; })) all.push_back(reading);
}

/// A word that holds a function's address: what structure is it in?
void Resolver::take_function(const Found& found) {
  if (const Module* module = find_module(modules_, found.at))
    if (const auto exported = read_exported(symbols_, *module, found.at)) add(found.value, *exported);
  if (const auto definition = shapes_.method_definition(found.at)) definitions_.emplace(*definition, found.value);
  if (const auto shape = shapes_.function_at(found.at))
    add(found.value, *shape);
  else if (unexplained_.size() < most_unexplained)
    unexplained_.push_back(found);
}

void Resolver::look_in_files(const std::vector<Address>& functions) {
  std::vector<Extent> data;
  for (const auto& module : modules_)
    for (const auto& range : read_layout(module, memory_).writable) data.push_back(range);
  for (const auto& found : find_words(memory_.plain(), data, exactly(functions), search_limit)) take_function(found);
}

void Resolver::look_in_dispatcher(const std::vector<Address>& functions) {
  const auto unnamed = [&](Address f) { return !readings_.count(f); };
  if (std::none_of(functions.begin(), functions.end(), unnamed)) return;
  const auto registered = read_dispatcher(symbols_, modules_, memory_.plain());
  for (const Address function : functions)
    if (const auto reading = read_registered(registered, function)) add(function, *reading);
}

/// Everything that is looked for on the heap at once: functions that no table was found for, the objects of method definitions, and what
/// points to arrays.
void Resolver::look_in_heap(const std::vector<Address>& functions) {
  std::vector<Address> unnamed;
  // Methods whose object is not known: libraries also hand out copies of their definitions.
  const auto says_enough = [](const Reading& r) { return r.certainty == Certainty::method ? r.owned : r.certainty < Certainty::symbol; };
  const auto is_open = [&](Address function) {
    const auto known = readings_.find(function);
    return known == readings_.end() || std::none_of(known->second.begin(), known->second.end(), says_enough);
  };
  std::copy_if(functions.begin(), functions.end(), std::back_inserter(unnamed), is_open);
  if (unnamed.empty() && definitions_.empty() && unexplained_.empty()) return;
  auto wanted = exactly(unnamed);
  for (const auto& [definition, function] : definitions_) wanted.push_back({definition, definition + 1});
  const auto arrays = std::move(unexplained_);
  const auto definitions = std::move(definitions_);
  unexplained_.clear(), definitions_.clear();
  for (const auto& array : arrays) wanted.push_back({array.at - Shapes::longest_array, array.at + 1});

  auto where = heap_ ? heap_() : std::vector<Extent>{};
  for (const auto& module : modules_)
    for (const auto& range : read_layout(module, memory_).writable) where.push_back(range);
  for (const auto& found : find_words(memory_.plain(), where, wanted, search_limit, &coverage_)) {
    if (const auto definition = definitions.find(found.value); definition != definitions.end())
      if (const auto owner = shapes_.method_at(found.at, definition->first)) add(definition->second, *owner);
    for (const auto& array : arrays)
      if (found.value <= array.at && array.at - found.value.value < Address{Shapes::longest_array})
        if (const auto reading = shapes_.array_at(found.at, array.at)) add(array.value, *reading);
    if (std::binary_search(unnamed.begin(), unnamed.end(), found.value)) take_function(found);
  }
}

std::vector<Reading> Resolver::without_inherited(const std::vector<Reading>& slots) const {
  std::vector<Reading> own;
  for (const auto& slot : slots) {
    Address base = shapes_.base_of(slot.owner);
    bool inherited = false;
    for (int depth = 0; base && depth < 64 && !inherited; ++depth, base = shapes_.base_of(base))
      inherited = std::any_of(slots.begin(), slots.end(), [&](const Reading& r) { return r.owner == base; });
    if (!inherited) own.push_back(slot);
  }
  return own;
}

namespace {

/// "loop OO->O of numpy.add" and others: what differs between them is the data that the ufunc hands to it.
Reading shared_loop(const std::vector<Reading>& loops) {
  Reading reading = loops.front();
  const auto of = reading.full.find(" of ");
  reading.name = reading.full = fmt::format("{} of numpy ufuncs", reading.full.substr(0, of));
  std::string names;
  for (const auto& loop : loops)
    names += (names.empty() ? "" : ", ") + loop.full.substr(std::min(loop.full.size(), loop.full.find(" of ") + 4));
  reading.evidence += fmt::format("; the same function serves {}", names);
  return reading;
}

}  // namespace

/// The readings of the best kind, as one: a function may serve several names.
Reading Resolver::best(Address function) const {
  const auto& all = readings_.at(function);
  const auto first = std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.certainty < b.certainty; });
  std::vector<Reading> same;
  // A method's owner says more than the definition alone.
  const bool owned = std::any_of(all.begin(), all.end(), [&](const auto& r) { return r.certainty == first->certainty && r.owned; });
  std::copy_if(all.begin(), all.end(), std::back_inserter(same),
               [&](const Reading& r) { return r.certainty == first->certainty && r.owned == owned; });
  if (first->certainty == Certainty::slot) same = without_inherited(same);
  std::sort(same.begin(), same.end(), [](const auto& a, const auto& b) { return a.full < b.full; });
  if (first->certainty == Certainty::loop && same.size() > 1) return shared_loop(same);
  Reading reading = same.front();
  constexpr std::size_t most = 4;
  for (std::size_t i = 1; i < same.size() && i < most; ++i)
    reading.full += " or " + same[i].full, reading.evidence += "; " + same[i].evidence;
  if (same.size() > 1) reading.name += fmt::format(" or {} more", same.size() - 1);
  if (same.size() > most) reading.full += fmt::format(" or {} more", same.size() - most);
  return reading;
}

std::map<Address, Reading> Resolver::run(const std::vector<Address>& functions) {
  auto sorted = functions;
  std::sort(sorted.begin(), sorted.end());
  look_in_files(sorted);
  look_in_dispatcher(sorted);
  look_in_heap(sorted);
  if (!unexplained_.empty() || !definitions_.empty()) look_in_heap(sorted);
  std::map<Address, Reading> named;
  for (const auto& [function, readings] : readings_) named.emplace(function, best(function));
  return named;
}

}  // namespace callpath::tables
