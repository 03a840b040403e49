// The SIGTRAP handler: finds the probe, captures, publishes, and lets the thread go on behind the probed instruction.
#pragma once

#include "agent/protocol.hpp"

namespace callpath::agent {

/// Installs the handler for this process. Called before the program's main, or again for each session that the program attaches to itself.
/// Tells the trampoline that signal handlers return to.
bool install(Shared& shared);

/// Whether a session started this program: its probes are in the text, and no other session may take the handler over.
bool started_by_session();

/// The session has gone: no more stops.
void forget_session();

/// Whether the session asked for an operator of that name.
bool wants_operator(const char* name);

/// Captures and publishes the stop of an operator call; waits for the session.
void stop_at_operator(const char* name);

/// Publishes a stop of the calling thread that is no probe's (hello, leave), after those of other threads. False if no session answers.
bool stop_by_itself(StopKind kind);

}  // namespace callpath::agent
