// How a thread goes on behind a probed instruction. Async-signal-safe.
#pragma once

#include <ucontext.h>

#include "agent/protocol.hpp"

namespace callpath::agent {

/// Sets the context so that returning from the handler continues as if the probed instruction had run in its place.
void resume_behind(const Probe&, ucontext_t&);

/// Where the probed call or jump goes.
std::uint64_t target_of(const Probe&, const ucontext_t&);

}  // namespace callpath::agent
