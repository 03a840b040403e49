// The rows of the terminal form.
#pragma once

#include <string>
#include <vector>

#include "explain/story.hpp"
#include "views/terminal.hpp"

namespace callpath {

/// Rows in the order in which they are shown.
std::vector<std::string> terminal_rows(const Story&, const TerminalOptions&);

}  // namespace callpath
