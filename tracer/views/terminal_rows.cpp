#include "views/terminal_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "explain/names.hpp"
#include "explain/text.hpp"

namespace callpath {

Columns::Columns(int w) : width(w), lanes(w >= 72), decision_beside(w >= 90) {
  numbers_end = lanes ? 15 : 7;
  layer = numbers_end + 2;
  text = layer + 11;
}

namespace {

int lane_column(World world) { return 1 + 2 * static_cast<int>(world); }

class Rows {
 public:
  Rows(const Story& story, const TerminalOptions& options)
      : story_(story), options_(options), glyph_(glyphs(options.utf8)), paint_(options.colour, options.dark), at_(options.width) {}

  std::vector<std::string> all() {
    for (std::size_t i = 0; i < story_.rows.size(); ++i) order_.push_back(options_.gdb_order ? i : story_.rows.size() - 1 - i);
    for (std::size_t i = 0; i < order_.size(); ++i) row(i);
    return std::move(out_);
  }

 private:
  const Row& shown(std::size_t i) const { return story_.rows[order_[i]]; }

  bool dotted_below(std::size_t i) const { return shown(i).stage.elided || (i + 1 < order_.size() && shown(i + 1).stage.elided); }

  const char* node(const Row& row) const {
    if (row.stage.innermost) return glyph_.stop;
    if (row.stage.elided) return glyph_.ghost;
    if (row.stage.layer == Layer::unknown) return glyph_.unknown;
    return row.stage.folded ? glyph_.folded : glyph_.node;
  }

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
      piece(node(row));
    while (line.width() < std::max(here, before)) piece(glyph_.across);
    if (before < here)
      line.width() > here ? void() : piece(node(row));
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

  void head(Line& line, const Row& row) const {
    auto number = number_range(row.stage, glyph_.range);
    line.to(at_.numbers_end - columns(number));
    line.add(paint_(number, Style::dim), columns(number));
    line.to(at_.layer);
    auto layer = to_string(row.stage.layer);
    line.add(paint_(layer, row.stage.tone, !row.stage.folded), columns(layer));
    line.to(at_.text);
  }

  int choice_width(const Row& row) const { return row.choice ? columns(to_string(*row.choice)) : 0; }

  void draw_choice(Line& line, const Row& row) const {
    line.to(at_.width - choice_width(row));
    auto add = [&](const std::string& text, bool taken) {
      line.add(taken ? paint_(text, row.stage.tone, true) : paint_(text, Style::dim), columns(text));
    };
    bool first = row.choice->label.empty();
    if (!first) add(row.choice->label, false);
    for (std::size_t i = 0; i < row.choice->options.size(); ++i) {
      if (!first) line.add(" ", 1);
      first = false;
      bool taken = i == row.choice->taken;
      auto option = options_.utf8 || row.choice->options[i] != "…" ? row.choice->options[i] : "...";
      add(taken ? "[" + option + "]" : option, taken);
    }
  }

  // Name and place in `room` columns: the place goes before the name is cut.
  void draw_name(Line& line, const Row& row, int room) const {
    std::string beside = row.place;
    if (!row.confidence.empty()) beside += (beside.empty() ? "" : "  ") + row.confidence;
    int name = columns(row.name), rest = beside.empty() ? 0 : columns(beside) + 2;
    if (name + rest > room && rest > 0 && name > room - rest) {
      if (room - rest >= 24)
        name = room - rest;
      else
        beside.clear(), rest = 0;
    }
    auto text = shorten_middle(row.name, std::min(name, room - rest), glyph_.ellipsis);
    line.add(paint_(text, Style::bold), columns(text));
    if (beside.empty()) return;
    line.add("  ", 2);
    line.add(paint_(beside, Style::dim), columns(beside));
  }

  void row(std::size_t i) {
    const auto& row = shown(i);
    Line line;
    draw_node(line, i);
    head(line, row);
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
    draw_name(line, row, at_.width - at_.text - (beside ? choice_width(row) + 2 : 0));
    if (beside) draw_choice(line, row);
    out_.push_back(line.text());
    bool below_text = row.choice && !at_.decision_beside;
    auto lines = row.sentence.empty() ? std::vector<std::string>() : wrap(row.sentence, at_.width - at_.text);
    for (const auto& text : lines) {
      line = below(i);
      line.to(at_.text);
      line.add(paint_(text, Style::dim), columns(text));
      bool last = &text == &lines.back();
      if (last && below_text && line.width() + 2 + choice_width(row) <= at_.width) draw_choice(line, row), below_text = false;
      out_.push_back(line.text());
    }
    if (!below_text) return;
    line = below(i);
    draw_choice(line, row);
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
      n = end;
    }
  }

  const Frame& frame(std::size_t index) const { return story_.event->frames[index]; }

  static bool same_line(const Frame& a, const Frame& b) {
    return a.kind == Kind::python && b.kind == Kind::python && a.full == b.full &&
           (a.source ? a.source->line : std::nullopt) == (b.source ? b.source->line : std::nullopt);
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
  const Glyphs& glyph_;
  Paint paint_;
  Columns at_;
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
