// Parameters whose register has been reused: the caller's call site may still know what was passed.
#include "symbols/call_sites.hpp"
#include "values/expression.hpp"

namespace callpath::dw {
namespace {

constexpr int most_callers = 8;

std::optional<std::uint64_t> register_of(Die parameter) {
  auto location = attribute(parameter, DW_AT_location);
  Dwarf_Op* ops = nullptr;
  std::size_t count = 0;
  if (!location || dwarf_getlocation(&*location, &ops, &count) != 0 || count != 1) return std::nullopt;
  if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) return ops[0].atom - DW_OP_reg0;
  return ops[0].atom == DW_OP_regx ? std::optional<std::uint64_t>(ops[0].number) : std::nullopt;
}

std::optional<Dwarf_Attribute> value_of(Die parameter) {
  if (auto value = attribute(parameter, DW_AT_call_value)) return value;
  return attribute(parameter, DW_AT_GNU_call_site_value);
}

/// Whether a call site calls the function that runs: after a jump its parameters say nothing about this one.
bool calls(const FrameContext& caller, Die site, const FrameContext& callee) {
  if (!callee.function) return false;
  Die function = *callee.function;
  Dwarf_Addr entry = 0;
  if (dwarf_entrypc(&function, &entry) != 0) return false;
  const std::uint64_t running = callee.module.address({entry}).value;
  if (const auto die = callee_of(site)) {
    const auto target = entry_of(caller.state, *die);
    return target && caller.module.address({*target}).value == running;
  }
  auto target = attribute(site, DW_AT_call_target);
  if (!target) target = attribute(site, DW_AT_GNU_call_site_target);
  return target && compute(caller, *target) == running;
}

}  // namespace

std::optional<std::uint64_t> value_at_entry(const FrameContext& frame, std::uint64_t register_number) {
  if (!frame.callers || frame.depth >= most_callers) return std::nullopt;
  const auto caller = frame.callers->caller_of(frame);
  if (!caller || caller->frame.exact_pc) return std::nullopt;
  const auto site = call_site_returning_to(caller->state, caller->module.offset(caller->frame.pc).value);
  if (!site || !calls(*caller, *site, frame)) return std::nullopt;
  std::optional<std::uint64_t> result;
  for_each_child(*site, [&](Die child) {
    const bool parameter = tag(child) == DW_TAG_call_site_parameter || tag(child) == DW_TAG_GNU_call_site_parameter;
    if (!parameter || register_of(child) != register_number) return true;
    if (const auto value = value_of(child)) result = compute(*caller, *value);
    return false;
  });
  return result;
}

}  // namespace callpath::dw
