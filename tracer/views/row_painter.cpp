#include "views/row_painter.hpp"

#include <algorithm>

#include "explain/text.hpp"

namespace callpath {

Columns::Columns(int w) : width(w), lanes(w >= 72), decision_beside(w >= 90) {
  numbers_end = lanes ? 15 : 7;
  layer = numbers_end + 2;
  text = layer + 11;
}

int lane_column(World world) { return 1 + 2 * static_cast<int>(world); }

RowPainter::RowPainter(const TerminalOptions& o) : options(o), glyph(glyphs(o.utf8)), paint(o.colour, o.dark), at(o.width) {}

const char* RowPainter::node(const Stage& stage) const {
  if (stage.innermost) return glyph.stop;
  if (stage.elided) return glyph.ghost;
  if (stage.tone == Tone::unknown) return glyph.unknown;
  return stage.folded ? glyph.folded : glyph.node;
}

void RowPainter::number(Line& line, const Stage& stage) const {
  auto number = number_range(stage, glyph.range);
  line.to(at.numbers_end - columns(number));
  line.add(paint(number, Style::dim), columns(number));
}

void RowPainter::layer(Line& line, const Stage& stage) const {
  auto layer = to_string(stage.layer);
  // The longest name, class-build, begins a column earlier: a blank stands on either side of it.
  line.to(at.layer - (columns(layer) > at.text - at.layer - 1 ? 1 : 0));
  line.add(paint(layer, stage.tone, !stage.folded), columns(layer));
  line.to(at.text);
}

int RowPainter::choice_width(const Row& row) const { return row.choice ? columns(to_string(*row.choice)) : 0; }

void RowPainter::choice(Line& line, const Row& row) const {
  line.to(at.width - choice_width(row));
  auto add = [&](const std::string& text, bool taken) {
    line.add(taken ? paint(text, row.stage.tone, true) : paint(text, Style::dim), columns(text));
  };
  bool first = row.choice->label.empty();
  if (!first) add(row.choice->label, false);
  for (std::size_t i = 0; i < row.choice->options.size(); ++i) {
    if (!first) line.add(" ", 1);
    first = false;
    bool taken = i == row.choice->taken;
    add(taken ? "[" + row.choice->options[i] + "]" : row.choice->options[i], taken);
  }
}

void RowPainter::name(Line& line, const Row& row, int room) const {
  auto width_of = [](const std::string& beside) { return beside.empty() ? 0 : columns(beside) + 2; };
  std::string beside = row.place;
  if (!row.confidence.empty()) beside += (beside.empty() ? "" : "  ") + row.confidence;
  int name = columns(row.name), rest = width_of(beside);
  // The name is what a reader looks for, and must not be taken for a fact where it is none: the place goes first, the word of confidence
  // last.
  if (name + rest > room && (name <= room || !row.confidence.empty())) beside = row.confidence, rest = width_of(beside);
  if (name + rest > room) {
    if (beside.empty() || room - rest < 24)
      beside.clear(), rest = 0;
    else
      name = room - rest;
  }
  auto text = shorten_middle(row.name, std::min(name, room - rest));
  line.add(paint(text, Style::bold), columns(text));
  if (beside.empty()) return;
  line.add("  ", 2);
  line.add(paint(beside, Style::dim), columns(beside));
}

}  // namespace callpath
