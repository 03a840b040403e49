// What libraries call that tell of their operators (callpath_operator_hook).
#pragma once

#include "agent/protocol.hpp"

namespace callpath::agent {

/// A stop of the calling thread at an operator that the session asked for. In ordinary code, not in a handler.
void on_operator(const char* name);

/// '*' stands for any text, '?' for a character.
bool glob_matches(const char* glob, const char* text);

}  // namespace callpath::agent
