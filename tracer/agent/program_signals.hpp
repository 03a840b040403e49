// What the program believes of SIGTRAP while the agent's handler stands in its place. Replaces libc's sigaction, signal, sigprocmask,
// pthread_sigmask, sigpending and the functions that wait for a signal: the program reads back what it set and gets the traps that are its
// own, but SIGTRAP is neither taken from the agent nor blocked. Either would end the program at the next probe.
#pragma once

#include <signal.h>

namespace callpath::agent {

/// Installs the agent's handler and keeps the action that was there as the program's. False if libc refuses.
bool replace_trap_action(const struct sigaction& handler);

/// The action that the program set last. Async-signal-safe.
const struct sigaction& program_trap_action();

/// Of the calling thread: whether the program has SIGTRAP blocked, and whether one that was sent waits until it is unblocked.
extern __thread bool trap_is_blocked, trap_is_pending;
extern __thread siginfo_t pending_trap;  ///< What came with the one that waits.

}  // namespace callpath::agent
