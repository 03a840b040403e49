// What a stop tells, in the terms of the other libraries.
#pragma once

#include "agent/protocol.hpp"
#include "core/raw_stack.hpp"

namespace callpath::session {

/// The native stack that the agent captured.
RawStack raw_stack(const agent::Shared&);

/// The vector registers of the stopped thread, out of the XSAVE area as the kernel stored it; width 0 if there are none.
VectorRegisters vector_registers(const agent::Stop&);

}  // namespace callpath::session
