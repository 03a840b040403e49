#include "views/diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "explain/names.hpp"
#include "explain/story.hpp"
#include "explain/text.hpp"
#include "views/canvas.hpp"
#include "views/fork.hpp"
#include "views/row_painter.hpp"

namespace callpath {
namespace {

constexpr int lane_a = 7, lane_b = 9;  // columns of the two branches

class Form {
 public:
  Form(const Story& a, const Story& b, const TerminalOptions& options, DiffNames names)
      : a_(a), b_(b), painter_(options), names_(std::move(names)), fork_(fork_of(a, b)) {}

  std::string text() {
    heads();
    if (fork_.differences.empty())
      equal();
    else
      fork();
    std::string out;
    for (const auto& line : lines_) out += line + "\n";
    return painter_.options.utf8 ? out : in_ascii(std::move(out));
  }

 private:
  void put(const Line& line) { lines_.push_back(line.text()); }
  void put_text(int column, const std::string& text) {
    for (const auto& part : wrap(text, painter_.at.width - column)) {
      Line line;
      line.to(column);
      line.add(painter_.paint(part, Style::dim), columns(part));
      put(line);
    }
  }

  // " A  name  y = X[:, 0]**2 + X[:, 1]**3   base = -1.1523602"
  void head(const char* letter, const std::string& name, const Story& story, int name_width) {
    Line line;
    line.add(" " + painter_.paint(letter, Style::bold) + "  ", 4);
    line.add(painter_.paint(pad_right(name, name_width), Style::dim) + " ", name_width + 1);
    auto right = story.to ? printable(story.to->state) : "";
    int room = painter_.at.width - line.width();
    if (columns(right) + 14 > room) right.clear();
    auto code = story.from ? printable(story.from->code) : "";
    code = shorten_middle(code, room - (right.empty() ? 0 : columns(right) + 2));
    line.add(code, columns(code));
    if (!right.empty()) {
      line.to(painter_.at.width - columns(right));
      line.add(painter_.paint(right, Style::dim), columns(right));
    }
    put(line);
  }

  void heads() {
    auto a = shorten_middle(printable(names_.a), 24), b = shorten_middle(printable(names_.b), 24);
    int width = std::max(columns(a), columns(b));
    head("A", a, a_, width);
    head("B", b, b_, width);
    lines_.emplace_back();
  }

  void folded_row(World world, const std::string& text) {
    Line line;
    if (painter_.at.lanes) line.to(lane_column(world)), line.add(painter_.paint(painter_.glyph.dotted, Style::dim), 1);
    line.to(painter_.at.text);
    auto shown = shorten_middle(std::string(painter_.glyph.open) + " " + text, painter_.at.width - line.width());
    line.add(painter_.paint(shown, Style::dim), columns(shown));
    put(line);
  }

  void equal() {
    auto n = a_.rows.size();
    auto text =
        a_.language == "zh" ? fmt::format("同样的 {} 段。", n) : fmt::format("The same {} stage{} on both sides.", n, n == 1 ? "" : "s");
    put_text(2, text);
    auto notes = compare_values(*a_.event, *b_.event);
    if (notes.empty()) return;
    lines_.emplace_back();
    list(a_.language == "zh" ? "不同的值：" : "Values that differ, or that one side has:", notes);
  }

  // A line of an item is a line of the list: cut in its middle rather than wrapped; a note is wrapped under itself.
  void put_item(const std::string& item) {
    const int room = painter_.at.width - 6;
    std::istringstream lines(item);
    for (std::string line; std::getline(lines, line);) {
      auto parts = wrap(shorten_middle(printable(line), 2 * room), room);
      for (std::size_t n = 0; n < parts.size(); ++n) {
        Line out;
        out.to(n == 0 ? 4 : 6);
        out.add(painter_.paint(parts[n], Style::dim), columns(parts[n]));
        put(out);
      }
    }
  }

  void list(const std::string& title, const std::vector<std::string>& items) {
    constexpr std::size_t most = 12;
    put_text(2, title);
    for (std::size_t i = 0; i < std::min(most, items.size()); ++i) put_item(items[i]);
    if (items.size() > most)
      put_text(4, a_.language == "zh" ? fmt::format("还有 {} 项", items.size() - most) : fmt::format("and {} more", items.size() - most));
  }

  void fork() {
    const auto trunk = fork_.trunk, rejoined = fork_.rejoined;
    const auto na = a_.rows.size(), nb = b_.rows.size();
    if (trunk > 1) folded_row(a_.rows[na - trunk + 1].stage.world, same_stages(trunk - 1, a_.language));
    if (trunk > 0) last_common(na - trunk, trunk > 1);
    parting(trunk > 0 ? a_.rows[na - trunk].stage.world : World::python);
    for (std::size_t i = na - trunk; i-- > rejoined;) branch(a_.rows[i], true);
    for (std::size_t i = nb - trunk; i-- > rejoined;) branch(b_.rows[i], false);
    if (rejoined > 0) folded_row(a_.rows[rejoined - 1].stage.world, same_stages(rejoined, a_.language));
    lines_.emplace_back();
    std::vector<std::string> said;
    for (const auto& d : fork_.differences) said.push_back(in_words(d, a_, b_));
    list(a_.language == "zh" ? "逐帧来看：" : "Frame by frame:", said);
  }

  void last_common(std::size_t at, bool turned) {
    const auto& row = a_.rows[at];
    Line line;
    if (painter_.at.lanes) {
      int here = lane_column(row.stage.world), before = turned ? lane_column(a_.rows[at + 1].stage.world) : here;
      auto piece = [&](const char* glyph) { line.add(painter_.paint(glyph, row.stage.tone), 1); };
      line.to(std::min(here, before));
      piece(before < here ? painter_.glyph.from_left : painter_.node(row.stage));
      while (line.width() < std::max(here, before)) piece(painter_.glyph.across);
      if (before < here) piece(painter_.node(row.stage));
      if (before > here) piece(painter_.glyph.from_right);
    }
    painter_.number(line, row.stage);
    painter_.layer(line, row.stage);
    name_and_choice(line, row);
  }

  void name_and_choice(Line& line, const Row& row) {
    if (row.stage.folded) {
      auto text = shorten_middle(std::string(painter_.glyph.open) + " " + row.sentence, painter_.at.width - line.width());
      line.add(painter_.paint(text, Style::dim), columns(text));
      return put(line);
    }
    bool beside = row.choice && painter_.at.decision_beside;
    painter_.name(line, row, painter_.at.width - line.width() - (beside ? painter_.choice_width(row) + 2 : 0));
    if (beside) painter_.choice(line, row);
    put(line);
    if (!row.choice || beside) return;
    Line below;
    painter_.choice(below, row);
    put(below);
  }

  void parting(World from) {
    auto text = parting_question(fork_, a_.language);
    Line line;
    if (painter_.at.lanes) {
      const auto& g = painter_.glyph;
      int t = lane_column(from);
      line.to(t);
      if (t < lane_a) line.add(painter_.paint(g.from_left, Style::dim), 1);
      while (line.width() < lane_a) line.add(painter_.paint(g.across, Style::dim), 1);
      auto corner = std::string(t < lane_a ? g.fork_from_left : g.fork) + g.across + g.fork_end;
      line.add(painter_.paint(corner, Style::dim), 3);
    }
    line.to(painter_.at.text);
    for (const auto& part : wrap(text, painter_.at.width - painter_.at.text)) {
      line.to(painter_.at.text);
      line.add(painter_.paint(part, Style::bold), columns(part));
      put(line);
      line = lanes();
    }
    if (fork_.a) facts(fork_.facts_a, fork_.facts_b);
  }

  Line lanes() const {
    Line line;
    if (!painter_.at.lanes) return line;
    line.to(lane_a);
    line.add(painter_.paint(painter_.glyph.down, Style::dim), 1);
    line.to(lane_b);
    line.add(painter_.paint(painter_.glyph.down, Style::dim), 1);
    return line;
  }

  void facts(const std::string& a, const std::string& b) {
    int room = painter_.at.width - painter_.at.text;
    bool one_line = columns(a) + columns(b) + 12 <= room;
    Line line = lanes();
    line.to(painter_.at.text);
    auto add = [&](const char* letter, std::string text) {
      text = shorten_middle(text, painter_.at.width - line.width() - 3);
      line.add(painter_.paint(letter, Style::dim) + "  " + painter_.paint(text, Style::bold), 3 + columns(text));
    };
    add("A", a);
    if (one_line) {
      line.to(std::max(line.width() + 3, painter_.at.text + 31));
      if (columns(b) + 3 + line.width() <= painter_.at.width) {
        add("B", b);
        return put(line);
      }
    }
    put(line);
    line = lanes();
    line.to(painter_.at.text);
    add("B", b);
    put(line);
  }

  void branch(const Row& row, bool is_a) {
    Line line;
    auto letter = [&] { line.add(painter_.paint(is_a ? "A" : "B", Style::bold), 1); };
    auto node = [&] { line.add(painter_.paint(painter_.node(row.stage), row.stage.tone), 1); };
    if (!painter_.at.lanes) {
      line.to(1);
      letter();
    } else if (is_a) {
      line.to(lane_a - 2), letter(), line.to(lane_a), node();
    } else {
      line.to(lane_b), node(), line.to(lane_b + 2), letter();
    }
    painter_.layer(line, row.stage);
    name_and_choice(line, row);
  }

  const Story &a_, &b_;
  RowPainter painter_;
  DiffNames names_;
  Fork fork_;
  std::vector<std::string> lines_;
};

DiffNames names_of(const Recording& a, const Recording& b, DiffNames names) {
  bool routes = a.producer.route != b.producer.route;
  if (names.a.empty() && routes) names.a = a.producer.route;
  if (names.b.empty() && routes) names.b = b.producer.route;
  return names;
}

}  // namespace

std::string diff(const Recording& a, std::size_t event_a, const Recording& b, std::size_t event_b, const TerminalOptions& given,
                 const DiffNames& names) {
  auto options = given;
  options.width = std::clamp(options.width, 40, 120);
  const auto& notes = options.notes ? *options.notes : Notes::built_in();
  auto left = story_of(a, event_a, options.language, notes), right = story_of(b, event_b, options.language, notes);
  return Form(left, right, options, names_of(a, b, names)).text();
}

bool same_path(const Recording& a, std::size_t event_a, const Recording& b, std::size_t event_b) {
  return compare_paths(a.events.at(event_a), a, b.events.at(event_b), b).empty();
}

}  // namespace callpath
