#include "session/name_stack.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "session/modules.hpp"
#include "session/process.hpp"
#include "tables/table_names.hpp"

namespace callpath::session {

std::vector<std::optional<tables::Reading>> name_stack(pid_t pid, const std::vector<StackPoint>& stack) {
  const ProcessMemory memory(pid);
  ModuleTable modules(pid, memory);
  if (!modules.refresh())
    throw Error(fmt::format("process {}: no program can be read there", pid),
                "It must exist, belong to this user, and its memory must be readable: not restricted by kernel.yama.ptrace_scope.");
  Symbols symbols;
  tables::TableNames names(symbols);
  std::vector<tables::Place> places;
  for (const auto& point : stack) {
    tables::Place place;
    place.pc = point.pc;
    place.lookup = point.exact ? point.pc : point.pc - 1;
    place.module = find_module(modules.modules(), place.lookup);
    if (place.module) {
      const auto function = symbols.at(*place.module, place.module->offset(place.lookup)).back();
      place.name = function.name, place.full = function.full;
      place.nameless = function.confidence == Confidence::module;
    }
    places.push_back(std::move(place));
  }
  return names.name(places, modules.modules(), memory, [pid] { return heap_of(pid); });
}

}  // namespace callpath::session
