// Styled text with known width: what the terminal views are put together from.
#pragma once

#include <string>
#include <string_view>

#include "explain/stages.hpp"
#include "views/terminal.hpp"

namespace callpath {

enum class Style { plain, bold, dim };

/// Turns pieces of text into text with escape sequences, or without.
class Paint {
 public:
  Paint(Colour colour, bool dark) : colour_(colour), dark_(dark) {}
  std::string operator()(std::string_view text, Style) const;
  std::string operator()(std::string_view text, Tone, bool bold = false) const;

 private:
  Colour colour_;
  bool dark_;
};

/// One line being filled from left to right; keeps its width in columns.
class Line {
 public:
  void add(const std::string& painted, int columns) { text_ += painted, width_ += columns; }
  void to(int column) {
    if (width_ < column) add(std::string(static_cast<std::size_t>(column - width_), ' '), column - width_);
  }
  int width() const { return width_; }
  /// Without blanks at its end.
  std::string text() const;

 private:
  std::string text_;
  int width_ = 0;
};

/// What the line of the path is drawn with.
struct Glyphs {
  const char *node, *stop, *ghost, *unknown, *folded, *down, *dotted, *across, *from_left, *from_right, *range, *open, *here, *ellipsis;
  const char *fork, *fork_from_left, *fork_end;
  const char *returned_begin, *returned, *current, *pending;
};
const Glyphs& glyphs(bool utf8);

/// What shortening and counting put into text, in ASCII and of the same width. Names of the program stay as they are.
std::string in_ascii(std::string text);

}  // namespace callpath
