// Functions of the C library in which a breakpoint would end the program.
#pragma once

#include <optional>
#include <string>

#include "core/module.hpp"
#include "symbols/symbols.hpp"

namespace callpath::session {

/// Why no probe may stand in a function, or nothing if one may. The C library begins threads and spawned children with every signal blocked
/// by system calls of its own, which the agent cannot see; the kernel ends a process that meets a breakpoint with SIGTRAP blocked.
std::optional<std::string> why_untouchable(const Module&, const FoundFunction&);

}  // namespace callpath::session
