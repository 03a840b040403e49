// From numbers to an event of the record. Knows nothing of how the thread was stopped: a live stop, an attached process or a core file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/memory.hpp"
#include "core/module.hpp"
#include "core/raw_stack.hpp"
#include "merge/merge.hpp"
#include "python/frames.hpp"
#include "record/record.hpp"
#include "session/facts.hpp"
#include "symbols/symbols.hpp"
#include "tables/table_names.hpp"
#include "values/values.hpp"

namespace callpath::session {

/// One thread, stopped, with all that can be asked about it.
struct Observed {
  const RawStack& stack;
  const std::vector<Module>& modules;
  const Memory& memory;
  Symbols& symbols;
  tables::TableNames& tables;
  tables::Heap heap;  ///< Where tables may lie apart from the files' data.
  std::string thread_name;
  std::string start_directory;          ///< Against which relative paths of code objects are resolved.
  const PythonStack* python = nullptr;  ///< As read before, if the thread has moved on since.
};

/// Appends an event, not yet annotated, to the recording, and the modules that it names to the recording's table. Returns the event.
/// Python version and build are filled into the recording's target if an interpreter was found.
Event& add_event(Recording&, const Observed&, const Trigger&);

}  // namespace callpath::session
