// The parts of a row of the terminal forms, path and diff alike.
#pragma once

#include "explain/story.hpp"
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

/// Column of a world's lane.
int lane_column(World);

class RowPainter {
 public:
  explicit RowPainter(const TerminalOptions&);
  const char* node(const Stage&) const;
  void number(Line&, const Stage&) const;
  void layer(Line&, const Stage&) const;  ///< And on to the text's column.
  void choice(Line&, const Row&) const;   ///< Flush right.
  int choice_width(const Row&) const;     ///< 0 without one.
  /// Name and place in `room` columns: the place goes before the name is cut.
  void name(Line&, const Row&, int room) const;

  const TerminalOptions& options;
  const Glyphs& glyph;
  Paint paint;
  Columns at;
};

}  // namespace callpath
