// A question before a decision is shown: for a page that is presented.
#pragma once

#include <string>

#include "explain/story.hpp"

namespace callpath {

/// The question that the row `next` answers, to stand at the end of the step before it. Wrong answers are links to the recordings in which
/// they are right, where the record names them. Empty if there is no next row or nothing is decided in it.
std::string html_quiz(const Story&, const Row* next);

}  // namespace callpath
