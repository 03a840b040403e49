// Modules by address, readable in a signal handler.
#pragma once

#include "capture/capture.hpp"

namespace callpath::capture {

/// The module around an address, or null. Async-signal-safe. The pointer is good until the second set_modules from now.
const ModuleRange* module_at(std::uint64_t address);

/// Calls `visit(range, data)` for each module until it returns other than 0; returns that. Async-signal-safe.
int each_module(int (*visit)(const ModuleRange&, void*), void* data);

}  // namespace callpath::capture
