#include "symbols/call_sites.hpp"

#include <cstring>

namespace callpath::dw {
namespace {

constexpr int deepest = 200;

bool is_call_site(Die die) { return tag(die) == DW_TAG_call_site || tag(die) == DW_TAG_GNU_call_site; }

bool is_tail_call(Die site) { return flag(attribute(site, DW_AT_call_tail_call)) || flag(attribute(site, DW_AT_GNU_tail_call)); }

std::optional<std::uint64_t> address(std::optional<Dwarf_Attribute> a) {
  Dwarf_Addr value;
  return a && dwarf_formaddr(&*a, &value) == 0 ? std::optional<std::uint64_t>(value) : std::nullopt;
}

/// Where the call returns to; for a jump, one past it. clang gives the jump's own address instead.
std::optional<std::uint64_t> return_address(Die site) {
  if (auto a = address(attribute(site, DW_AT_call_return_pc))) return a;
  if (tag(site) == DW_TAG_GNU_call_site) return address(attribute(site, DW_AT_low_pc));
  return std::nullopt;
}

/// Calls `visit` for the call sites of one function, those in inlined functions and blocks included, until it answers false.
template <class Visit>
bool for_each_call_site(Die function, Visit& visit, int depth = 0) {
  bool go_on = depth < deepest;
  if (!go_on) return true;
  for_each_child(function, [&](Die child) {
    const int t = tag(child);
    if (is_call_site(child))
      go_on = visit(child);
    else if (t == DW_TAG_inlined_subroutine || t == DW_TAG_lexical_block || t == DW_TAG_try_block || t == DW_TAG_catch_block)
      go_on = for_each_call_site(child, visit, depth + 1);
    return go_on;
  });
  return go_on;
}

std::optional<std::uint64_t> low_pc(Die function) { return address(attribute(function, DW_AT_low_pc)); }

/// The physical function's DIE around an address, or nothing.
std::optional<Die> function_around(ModuleState& module, std::uint64_t offset) {
  Unit* unit = module.units().at(offset);
  if (!unit) return std::nullopt;
  const auto chain = unit->functions().chain(unit->functions().at(offset));
  return chain.empty() ? std::nullopt : std::optional(unit->functions().node(chain.back()).die);
}

std::vector<std::vector<FunctionAt>> tail_jumps_of(ModuleState& module, const Module& loaded, std::uint64_t entry) {
  std::vector<std::vector<FunctionAt>> jumps;
  const auto function = function_around(module, entry);
  if (!function) return jumps;
  auto visit = [&](Die site) {
    if (!is_tail_call(site)) return true;
    const auto after = return_address(site);
    const auto at = after ? std::optional(*after - 1) : address(attribute(site, DW_AT_call_pc));
    if (at) jumps.push_back(functions_at(module, loaded, *at));
    return jumps.size() < 64;
  };
  for_each_call_site(*function, visit);
  return jumps;
}

}  // namespace

std::optional<Die> callee_of(Die site) {
  if (auto die = reference(site, DW_AT_call_origin)) return die;
  return reference(site, DW_AT_abstract_origin);
}

/// The callee's code in this module: its own DIE may be a declaration or an abstract instance, so the symbol of its linkage name helps.
std::optional<std::uint64_t> entry_of(ModuleState& module, Die callee) {
  if (auto entry = low_pc(callee); entry && module.code()->is_code(*entry)) return entry;
  const char* name = text(attribute_of_origin(callee, DW_AT_linkage_name));
  if (!name) name = name_of(callee);
  const ElfSymbol* symbol = name ? module.symbols().unique(name) : nullptr;
  return symbol ? std::optional(symbol->start) : std::nullopt;
}

std::optional<Die> call_site_returning_to(ModuleState& module, std::uint64_t returns_to) {
  const auto caller = module.code() ? function_around(module, returns_to - 1) : std::nullopt;
  if (!caller) return std::nullopt;
  std::optional<Die> site;
  auto visit = [&](Die candidate) {
    if (!is_tail_call(candidate) && return_address(candidate) == returns_to) site = candidate;
    return !site;
  };
  for_each_call_site(*caller, visit);
  return site;
}

std::optional<CallSite> call_returning_to(ModuleState& module, const Module& loaded, std::uint64_t returns_to) {
  const auto site = call_site_returning_to(module, returns_to);
  if (!site) return std::nullopt;

  CallSite call;
  const auto callee = callee_of(*site);
  if (!callee) return call;
  call.entry = [&]() -> std::optional<ModuleOffset> {
    const auto entry = entry_of(module, *callee);
    return entry ? std::optional(ModuleOffset{*entry}) : std::nullopt;
  }();
  const auto name = module.naming().die(*callee);
  call.name = name.name;
  call.full = name.full;
  if (call.entry) call.tail_jumps = tail_jumps_of(module, loaded, call.entry->value);
  return call;
}

}  // namespace callpath::dw
