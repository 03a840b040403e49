// The SIGTRAP handler: finds the probe, captures, publishes, and lets the thread go on behind the probed instruction.
#pragma once

#include "agent/protocol.hpp"

namespace callpath::agent {

/// Installs the handler for this process. Called once, before the program's main. Tells the trampoline that signal handlers return to.
bool install(Shared& shared);

/// Whether the session has gone or said that it wants no more.
void forget_session();

}  // namespace callpath::agent
