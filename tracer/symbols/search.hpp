// From names and source positions to addresses.
#pragma once

#include <string>
#include <vector>

#include "symbols/module_state.hpp"

namespace callpath::dw {

std::vector<FoundFunction> find_functions(ModuleState&, const std::string& pattern);
std::vector<FoundFunction> find_at_line(ModuleState&, const std::string& file, int line);

/// Everything about the function whose code begins at `entry`.
/// Inlined copies, at the entry of each; none for patterns without an identifier.
std::vector<FoundFunction> find_inlined(ModuleState&, const std::string& pattern);

FoundFunction describe_function(ModuleState&, std::uint64_t entry);

/// Adds names like the pattern to `candidates`, with their distance; lower is better.
struct Similar {
  std::size_t distance;
  std::string name;
};
void collect_similar(ModuleState&, const std::string& pattern, std::vector<Similar>& candidates);

}  // namespace callpath::dw
