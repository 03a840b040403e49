// Modules by address, readable in a signal handler.
#pragma once

#include "capture/capture.hpp"

namespace callpath::capture {

/// The module around an address; false if there is none. Async-signal-safe.
bool module_at(std::uint64_t address, ModuleRange& module);

/// Calls `visit(range, data)` for each module until it returns other than 0; returns that. Async-signal-safe.
int each_module(int (*visit)(const ModuleRange&, void*), void* data);

}  // namespace callpath::capture
