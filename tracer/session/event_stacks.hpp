// What the stack of one of CPython's own events says of it, beyond its name.
#pragma once

#include <vector>

#include "core/module.hpp"
#include "core/raw_stack.hpp"
#include "symbols/symbols.hpp"

namespace callpath::session {

/// The event belongs to the interpreter's own start: before the program's first line it sets itself up, and imports modules of its own for
/// that.
bool is_start_of_python(const RawStack&, const std::vector<Module>&, Symbols&);

/// A code object that is made without the compiler: read from a .pyc, copied by code.replace(), made by C code. The stop is in _PyCode_New.
bool is_ready_made(const RawStack&, const std::vector<Module>&, Symbols&);

}  // namespace callpath::session
