#include "annotate/annotate.hpp"

#include "annotate/parts.hpp"

namespace callpath {
namespace {

// By the modules that are loaded: the engine of an event that stops before it is reached is still the program's.
std::string engine_of(const Recording& recording) {
  for (const auto& module : recording.modules) {
    if (module.name.rfind("libtensorlib", 0) == 0) return "tensorlib";
    if (module.name.rfind("libtorch", 0) == 0) return "torch";
  }
  for (const auto& module : recording.modules)
    if (module.name.rfind("_multiarray_umath", 0) == 0) return "numpy";
  return {};
}

void describe_target(Recording& recording) {
  if (const std::string engine = engine_of(recording); !engine.empty()) recording.target.engine = engine;
  for (const auto& event : recording.events)
    if (const Fact* const capability = find_fact(event, "capability", 0)) recording.target.capability = capability->text;
}

}  // namespace

void annotate(Recording& recording) {
  for (auto& event : recording.events) {
    decode_instructions(event);
    assign_layers(event, recording);
    find_operations(event);
    drop_raw_code(event);
    complete_facts(event);
    find_decisions(event);
  }
  describe_target(recording);
}

}  // namespace callpath
