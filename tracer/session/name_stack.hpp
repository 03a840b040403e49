// Names without symbols for a stack that somebody else captured, such as gdb.
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "core/address.hpp"
#include "tables/reading.hpp"

namespace callpath::session {

struct StackPoint {
  Address pc;
  bool exact = false;  ///< The instruction itself, no return address.
};

/// One entry for each point, innermost first; nothing for functions that have symbols and for those that no table tells of. The process
/// must be stopped and its memory readable for this user. Throws Error if it is not there or cannot be read.
std::vector<std::optional<tables::Reading>> name_stack(pid_t, const std::vector<StackPoint>&);

}  // namespace callpath::session
