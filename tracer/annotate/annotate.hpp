// From what was observed to what it means: layers, operations, facts and decisions, by the tables of data/, the same for every producer.
#pragma once

#include "record/record.hpp"

namespace callpath {

/// Completes a recording: decodes raw code objects and drops them, gives every frame its layer, and fills operations, derived facts,
/// decisions and what the target's members say of the engine. A pure function of the recording, and annotating twice is annotating once.
/// Throws Error only for broken tables.
void annotate(Recording&);

/// The layer of a native frame as far as its own name, file and module's name tell.
Layer native_layer(const std::string& full, const std::string& module, const std::string& file);

}  // namespace callpath
