// Which symbols were missing, module by module.
#pragma once

#include <string>

#include "explain/story.hpp"

namespace callpath {

/// A module of the event whose frames lack something.
struct LackingModule {
  const RecordedModule* module = nullptr;
  int frames = 0;   ///< Of the event, in this module.
  int missing = 0;  ///< Of these, frames without a name or without a line.
};

/// In the order of the record; modules with full debug information and modules without frames are left out.
std::vector<LackingModule> lacking_modules(const Story&);

/// The table at the foot of a page; empty if nothing is lacking.
std::string html_modules(const Story&);

}  // namespace callpath
