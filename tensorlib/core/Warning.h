// Warnings: what a user should know about a call that works all the same.
#pragma once

#include <string>

namespace tensorlib {

/// Who shows warnings; may throw to make one an error. The binding sets one that raises Python's UserWarning; until then they go to stderr.
using WarningHandler = void (*)(const std::string& message);

/// Process-wide; null brings stderr back. Returns the handler before.
WarningHandler set_warning_handler(WarningHandler handler);

/// Hands a message to the handler. Call it before data is touched: the handler may throw.
void warn(const std::string& message);

}  // namespace tensorlib
