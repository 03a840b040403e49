// co_linetable of CPython 3.11: a position for every code unit. The format is described in CPython's Objects/locations.md. Private to
// python/.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace callpath {

struct Position {
  std::optional<int> line, end_line, column, end_column;
};

/// Positions by code unit (two bytes of bytecode), at most `units` of them. A table that is cut short gives positions without lines.
std::vector<Position> read_line_table(const std::vector<std::uint8_t>& table, int first_line, std::size_t units);

}  // namespace callpath
