// Two paths as one trunk and a fork. Pure.
#pragma once

#include <string>

#include "record/record.hpp"
#include "views/terminal.hpp"

namespace callpath {

struct DiffNames {
  std::string a, b;  ///< How the two are called; empty: by their routes if those differ.
};

/// What is the same is one folded row; where the paths part stands the question that was answered differently, with both sides' facts.
/// Equal paths are a result and say so. Equality is annotate/compare.hpp's. Ends in a newline. Throws Error if there are no such events.
std::string diff(const Recording& a, std::size_t event_a, const Recording& b, std::size_t event_b, const TerminalOptions&,
                 const DiffNames& = {});

/// Whether the two events tell the same path.
bool same_path(const Recording& a, std::size_t event_a, const Recording& b, std::size_t event_b);

}  // namespace callpath
