#include "tables/roles.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tables/referrers.hpp"

namespace callpath::tables {
namespace {

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

bool calls_loops(const std::string& full) {
  return has(full, "TensorIteratorBase::serial_for_each(") || has(full, "TensorIteratorBase::for_each(");
}

}  // namespace

void Roles::fill() {
  for (std::size_t i = stack_.size(); i-- > 0;)
    if (stack_[i].nameless && !names_[i] && extents_[i] && i + 1 < stack_.size() && stack_[i + 1].module) names_[i] = role(i);
}

std::string Roles::name(std::size_t index) const { return names_[index] ? names_[index]->name : stack_[index].name; }
std::string Roles::full(std::size_t index) const { return names_[index] ? names_[index]->full : stack_[index].full; }

std::string Roles::call_place(std::size_t outer) const {
  const Place& place = stack_[outer];
  return fmt::format("{}+{:#x}", place.module->name(), place.module->offset(place.pc).value);
}

/// The call that made this frame names its first instruction, or that of a function that jumps there.
Roles::Call Roles::call_of(std::size_t index) const {
  const auto called = called_before(memory_, stack_[index + 1].pc);
  if (!called) return Call::through_pointer;
  if (extents_[index]->contains(*called)) return Call::direct;
  const Module* module = find_module(modules_, *called);
  const auto extent = module ? all_extents_.at(*module, memory_, *called) : std::nullopt;
  if (!extent) return Call::elsewhere;
  const auto jumps = references_in(memory_, *extent).called;
  return std::find(jumps.begin(), jumps.end(), extents_[index]->begin) == jumps.end() ? Call::elsewhere : Call::by_jump;
}

std::vector<std::string> Roles::called_names(const Extent& extent) const {
  std::vector<std::string> names;
  for (const Address target : references_in(memory_, extent).called) {
    const Module* module = find_module(modules_, target);
    if (!module) continue;
    const auto function = symbols_.at(*module, module->offset(target)).back();
    if (function.confidence != Confidence::module) names.push_back(function.full.substr(0, function.full.find('(')));
  }
  return names;
}

const References& Roles::references(std::size_t index) {
  const auto [place, is_new] = references_.try_emplace(extents_[index]->begin.value);
  if (is_new) place->second = references_in(memory_, *extents_[index]);
  return place->second;
}

/// What an operator's wrapper calls by a direct call is the kernel that was registered.
std::optional<Reading> Roles::kernel_of_wrapper(std::size_t index) const {
  const auto& outer = names_[index + 1];
  if (!outer || outer->op.empty()) return std::nullopt;
  const auto called = called_names(*extents_[index]);
  const auto ends_with = [&](const char* ending) {
    return std::find_if(called.begin(), called.end(), [&](const std::string& name) {
      const std::string end = ending;
      return has(name, "::structured_") && name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
    });
  };
  const auto meta = ends_with("::meta"), impl = ends_with("::impl");
  const bool structured = meta != called.end() && impl != called.end();
  const std::string what = structured ? fmt::format("structured {} wrapper of {}", outer->label, outer->op)
                                      : fmt::format("{} kernel of {}", outer->label, outer->op);
  std::string evidence = fmt::format("the {} calls it at {}", outer->name, call_place(index + 1));
  if (structured) evidence += fmt::format("; it calls {} and {}", *meta, *impl);
  return Reading{Certainty::registration, what, what, evidence};
}

/// Called through a pointer that code further out made: it takes this function's address.
std::optional<Reading> Roles::callback(std::size_t index) {
  const bool loop = calls_loops(stack_[index + 1].full);
  const std::string what = loop ? "loop callback" : "callback";
  for (std::size_t i = index + 1; i < stack_.size(); ++i) {
    if (!extents_[i] || full(i) == "??") continue;
    const auto& taken = references(i).taken;
    if (std::find(taken.begin(), taken.end(), extents_[index]->begin) == taken.end()) continue;
    return Reading{Certainty::symbol, fmt::format("{} of {}", what, name(i)), fmt::format("{} of {}", what, full(i)),
                   fmt::format("{} takes its address and {} calls it", name(i), name(index + 1))};
  }
  if (!loop) return std::nullopt;
  return Reading{Certainty::symbol, "loop callback", "loop callback of a TensorIterator",
                 fmt::format("{} calls it through a pointer, as it does with the loop that it was given", name(index + 1))};
}

std::optional<Reading> Roles::callee(std::size_t index, bool by_jump) {
  const auto outer = chains_.find(index + 1);
  Chain chain = outer != chains_.end() ? outer->second : Chain{name(index + 1), 0};
  if (chain.root.empty() || chain.root == "??") return std::nullopt;
  ++chain.calls;
  chains_[index] = chain;
  const std::string what =
      chain.calls == 1 ? fmt::format("called by {}", chain.root) : fmt::format("inside {}, {} calls deep", chain.root, chain.calls);
  return Reading{Certainty::symbol, what, "function " + what,
                 fmt::format("{} calls {} at {}", name(index + 1), by_jump ? "a function that jumps to it" : "it", call_place(index + 1))};
}

/// Reached in a way that the stack does not show: by one of the few functions whose code refers to this one.
std::optional<Reading> Roles::by_referrer(std::size_t index) {
  constexpr std::size_t most = 3;
  const auto found = referrers_of(extents_[index]->begin, *stack_[index].module, memory_, all_extents_);
  if (!found || found->empty() || found->size() > most) return std::nullopt;
  const bool calls = std::all_of(found->begin(), found->end(), [](const Referrer& r) { return r.calls; });
  if (!calls && found->size() > 1) return std::nullopt;
  std::string names, places;
  std::size_t unnamed = 0;
  for (const auto& referrer : *found) {
    places += fmt::format("{}{}+{:#x}", places.empty() ? "" : " and ", stack_[index].module->name(),
                          stack_[index].module->offset(referrer.function).value);
    if (const auto by = name_of_(referrer.function))
      names += (names.empty() ? "" : " or ") + *by;
    else
      ++unnamed;
  }
  if (names.empty()) return std::nullopt;
  if (unnamed) names += " or another function";
  const std::string why = fmt::format("of all code in the file only that at {}", places);
  if (!calls)
    return Reading{Certainty::symbol, "from " + names, "function that " + names + " gives out", fmt::format("{} takes its address", why)};
  chains_[index] = {names, 1};
  return Reading{Certainty::symbol, "called by " + names, "function called by " + names, fmt::format("{} calls or jumps to it", why)};
}

std::optional<Reading> Roles::role(std::size_t index) {
  if (stack_[index + 1].pc == stack_[index + 1].lookup) return std::nullopt;  // interrupted, no call
  const Call call = call_of(index);
  if (call == Call::through_pointer)
    if (auto made_on_stack = callback(index)) return made_on_stack;
  if (call == Call::through_pointer || call == Call::elsewhere) return by_referrer(index);
  if (call == Call::direct)
    if (auto kernel = kernel_of_wrapper(index)) return kernel;
  return callee(index, call == Call::by_jump);
}

}  // namespace callpath::tables
