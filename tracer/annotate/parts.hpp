// The steps of annotate(), in their order. Private to annotate/ and its tests.
#pragma once

#include <optional>
#include <string>

#include "record/record.hpp"

namespace callpath {

/// Raw code objects to instructions and lines; then, with layers known, the operations of the innermost user frame's statement; then raw
/// code goes.
void decode_instructions(Event&);
void find_operations(Event&);
void drop_raw_code(Event&);

/// Every frame's layer, by data/layers.toml and the context that tables cannot say.
void assign_layers(Event&, const Recording&);

/// Facts that follow from other facts, from names and from the order of frames; meanings of numbers by data/facts.json.
void complete_facts(Event&);

/// By data/decisions.toml.
void find_decisions(Event&);

/// Index of the innermost frame of the reader's own Python code.
std::optional<std::size_t> innermost_user_frame(const Event&);

/// The fact of that name at a frame, else at the frame nearest to it; null if there is none.
const Fact* find_fact(const Event&, const std::string& name, std::size_t frame);
const Fact* fact_at(const Event&, const std::string& name, std::size_t frame);  ///< At this frame only.

/// plain_name() of a native frame, the qualified name of a Python frame.
std::string rule_name(const Frame&);

/// "python3.11"; empty if the frame has no module.
std::string module_name(const Frame&, const Recording&);

}  // namespace callpath
