// What a followed line of Python did, operation by operation, before the paths themselves are shown.
#pragma once

#include <string>

#include "record/record.hpp"
#include "views/terminal.hpp"

namespace callpath {

/// Empty if the recording has no event of a line. One row for each: the operation's own text, its opcode, the innermost function of its
/// deepest path and its place, and how many functions were entered; then what was not followed. Ends in a newline.
std::string line_overview(const Recording&, const TerminalOptions&);

}  // namespace callpath
