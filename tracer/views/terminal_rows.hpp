// The rows of the terminal form.
#pragma once

#include <string>
#include <vector>

#include "views/canvas.hpp"
#include "views/terminal.hpp"

namespace callpath {

/// Columns of the form at a width: where each part begins.
struct Columns {
  explicit Columns(int width);
  int width;
  bool lanes;            ///< Wide enough for the line.
  bool decision_beside;  ///< The decision stands on the first line of a row; else on the second.
  int numbers_end;       ///< Numbers are flush right, ending before this column.
  int layer, text;       ///< First columns, from 0.
};

/// Rows in the order in which they are shown.
std::vector<std::string> terminal_rows(const Story&, const TerminalOptions&);

}  // namespace callpath
