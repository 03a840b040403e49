#include "views/terminal_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "explain/names.hpp"
#include "explain/text.hpp"
#include "views/row_painter.hpp"

namespace callpath {

namespace {

class Rows {
 public:
  Rows(const Story& story, const TerminalOptions& options)
      : story_(story), options_(options), painter_(options), glyph_(painter_.glyph), paint_(painter_.paint), at_(painter_.at) {}

  std::vector<std::string> all() {
    for (std::size_t i = 0; i < story_.rows.size(); ++i) order_.push_back(options_.gdb_order ? i : story_.rows.size() - 1 - i);
    for (std::size_t i = 0; i < order_.size(); ++i) row(i);
    return std::move(out_);
  }

 private:
  const Row& shown(std::size_t i) const { return story_.rows[order_[i]]; }

  bool dotted_below(std::size_t i) const { return shown(i).stage.elided || (i + 1 < order_.size() && shown(i + 1).stage.elided); }

  // The node, and the turn that leads to it from the row above.
  void draw_node(Line& line, std::size_t i) const {
    const auto& row = shown(i);
    if (!at_.lanes) return;
    int here = lane_column(row.stage.world), before = i > 0 ? lane_column(shown(i - 1).stage.world) : here;
    auto piece = [&](const char* glyph) { line.add(paint_(glyph, row.stage.tone), 1); };
    line.to(std::min(here, before));
    if (before < here)
      piece(glyph_.from_left);
    else
      piece(painter_.node(row.stage));
    while (line.width() < std::max(here, before)) piece(glyph_.across);
    if (before < here)
      line.width() > here ? void() : piece(painter_.node(row.stage));
    else if (before > here)
      piece(glyph_.from_right);
  }

  // The line of the path beside further lines of a row.
  Line below(std::size_t i) const {
    Line line;
    bool last = i + 1 == order_.size();
    if (at_.lanes && !last) {
      line.to(lane_column(shown(i).stage.world));
      line.add(paint_(dotted_below(i) ? glyph_.dotted : glyph_.down, shown(i).stage.tone), 1);
    }
    return line;
  }

  void row(std::size_t i) {
    const auto& row = shown(i);
    Line line;
    draw_node(line, i);
    painter_.number(line, row.stage);
    painter_.layer(line, row.stage);
    if (row.stage.folded)
      folded(std::move(line), row, i);
    else
      open(std::move(line), row, i);
    if (options_.full) frames(i);
    if (options_.by_hand) by_hand(i);
  }

  void folded(Line line, const Row& row, std::size_t i) {
    int room = at_.width - at_.text - 2;
    auto sentence = row.sentence;
    if (row.stage.repeats > 1) sentence = row.name + ", " + sentence;
    auto lines = wrap(sentence, room);
    for (std::size_t n = 0; n < lines.size(); ++n) {
      if (n > 0) {
        out_.push_back(line.text());
        line = below(i);
        line.to(at_.text + 2);
      } else {
        line.add(paint_(std::string(glyph_.open) + " ", Style::dim), 2);
      }
      line.add(paint_(lines[n], Style::dim), columns(lines[n]));
    }
    out_.push_back(line.text());
  }

  void open(Line line, const Row& row, std::size_t i) {
    bool beside = row.choice && at_.decision_beside;
    painter_.name(line, row, at_.width - at_.text - (beside ? painter_.choice_width(row) + 2 : 0));
    if (beside) painter_.choice(line, row);
    out_.push_back(line.text());
    bool below_text = row.choice && !at_.decision_beside;
    auto lines = row.sentence.empty() ? std::vector<std::string>() : wrap(row.sentence, at_.width - at_.text);
    for (const auto& text : lines) {
      line = below(i);
      line.to(at_.text);
      line.add(paint_(text, Style::dim), columns(text));
      bool last = &text == &lines.back();
      if (last && below_text && line.width() + 2 + painter_.choice_width(row) <= at_.width) painter_.choice(line, row), below_text = false;
      out_.push_back(line.text());
    }
    if (!below_text) return;
    line = below(i);
    painter_.choice(line, row);
    out_.push_back(line.text());
  }

  // Frames of a stage, as thin lines; equal neighbours are one line with their number.
  void frames(std::size_t i) {
    const auto& row = shown(i);
    auto indices = row.stage.frames;
    if (!options_.gdb_order) std::reverse(indices.begin(), indices.end());
    for (std::size_t n = 0; n < indices.size();) {
      std::size_t end = n + 1;
      while (end < indices.size() && same_line(frame(indices[n]), frame(indices[end]))) ++end;
      thin(i, frame(indices[n]), static_cast<int>(end - n));
      evidence(i, frame(indices[n]));
      n = end;
    }
  }

  const Frame& frame(std::size_t index) const { return story_.event->frames[index]; }

  static bool same_line(const Frame& a, const Frame& b) {
    return a.kind == Kind::python && b.kind == Kind::python && a.full == b.full &&
           (a.source ? a.source->line : std::nullopt) == (b.source ? b.source->line : std::nullopt);
  }

  // How an inferred name is known.
  void evidence(std::size_t i, const Frame& f) {
    if (f.confidence != Confidence::inferred || f.evidence.empty()) return;
    constexpr int below_name = 9;
    const int left = (at_.lanes ? at_.text : at_.layer) + below_name;
    for (const auto& text : wrap(printable(f.evidence), std::max(at_.width - left, 20))) {
      Line line = below(i);
      line.to(left);
      line.add(paint_(text, Style::dim), columns(text));
      out_.push_back(line.text());
    }
  }

  // Number, name, place, and a word flush right; what has no room is left out, the name last.
  void thin(std::size_t i, const Frame& f, int repeats) {
    Line line = below(i);
    auto number = f.number ? "#" + std::to_string(*f.number) : "";
    line.to(at_.lanes ? at_.text + 2 : at_.layer);
    line.add(paint_(pad_right(number, 6), Style::dim) + " ", std::max(6, columns(number)) + 1);
    auto name = display_name(f);
    if (repeats > 1) name += " " + story_.words().rounds(repeats);
    auto where = place(f, *story_.recording);
    std::string word = f.kind == Kind::inlined ? story_.words().inlined : f.kind == Kind::elided ? story_.words().left_no_frame : "";
    auto beside = [](const std::string& text) { return text.empty() ? 0 : columns(text) + 2; };
    const int room = at_.width - line.width(), least = std::min(columns(name), 16);
    if (least + beside(where) + beside(word) > room) where.clear();
    if (least + beside(word) > room) word.clear();
    name = shorten_middle(name, room - beside(where) - beside(word), glyph_.ellipsis);
    line.add(name, columns(name));
    if (!where.empty()) line.add("  " + paint_(where, Style::dim), columns(where) + 2);
    if (!word.empty()) {
      line.to(at_.width - columns(word));
      line.add(paint_(word, Style::dim), columns(word));
    }
    out_.push_back(line.text());
  }

  void by_hand(std::size_t i) {
    for (const auto& command : by_hand_commands(shown(i), *story_.event, options_.by_hand_stages)) {
      Line line = below(i);
      line.to(at_.lanes ? at_.text + 2 : at_.layer);
      auto text = shorten_middle(command, at_.width - line.width() - 6, glyph_.ellipsis);
      line.add(paint_("(gdb) ", Style::dim) + text, 6 + columns(text));
      out_.push_back(line.text());
    }
  }

  const Story& story_;
  const TerminalOptions& options_;
  RowPainter painter_;
  const Glyphs& glyph_;
  const Paint& paint_;
  const Columns& at_;
  std::vector<std::size_t> order_;
  std::vector<std::string> out_;
};

std::string with_frame(std::string command, int number) {
  for (auto at = command.find("{frame}"); at != std::string::npos; at = command.find("{frame}"))
    command.replace(at, 7, std::to_string(number));
  return printable(command);
}

}  // namespace

std::vector<std::string> terminal_rows(const Story& story, const TerminalOptions& options) { return Rows(story, options).all(); }

std::vector<std::string> by_hand_commands(const Row& row, const Event& event, const std::vector<ByHand>& stages) {
  const auto& key = event.frames[row.stage.key];
  if (!key.number) return {};
  auto full = key.full.substr(0, 8192);  // std::regex recurses with the text's length
  std::vector<std::string> commands{"frame {frame}"};
  if (!row.stage.folded) commands.emplace_back(key.kind == Kind::python ? "py-list" : "info args");
  for (const auto& stage : stages) {
    if (stage.layer != to_string(row.stage.layer)) continue;
    if (!stage.function.empty() && !std::regex_search(full, std::regex(stage.function))) continue;
    commands = stage.commands;
    break;
  }
  for (auto& command : commands) command = with_frame(std::move(command), *key.number);
  return commands;
}

}  // namespace callpath
