#include "views/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "explain/names.hpp"
#include "explain/text.hpp"
#include "views/canvas.hpp"
#include "views/row_painter.hpp"
#include "views/terminal_rows.hpp"

namespace callpath {
namespace {

class Form {
 public:
  Form(const Story& story, const TerminalOptions& options)
      : story_(story), options_(options), glyph_(glyphs(options.utf8)), paint_(options.colour, options.dark), width_(options.width) {}

  std::string text() {
    header();
    if (!options_.gdb_order) from();
    for (const auto& line : terminal_rows(story_, options_)) put(line);
    put("");
    if (!options_.gdb_order) source();
    totals();
    std::string out;
    for (const auto& line : lines_) out += line + "\n";
    return out;
  }

 private:
  void put(std::string line) { lines_.push_back(std::move(line)); }
  std::string separator() const { return options_.utf8 ? " · " : ", "; }

  std::string title() const {
    if (!options_.title.empty()) return options_.title;
    auto place_of = [](const std::optional<End>& end) { return end ? end->place : std::string(); };
    auto from = place_of(story_.from), to = place_of(story_.to);
    if (from.empty()) return to;
    return from + (options_.utf8 ? " → " : " -> ") + to;
  }

  std::string versions() const {
    const auto& target = story_.recording->target;
    std::string out = printable(target.engine);
    auto add = [&](const std::string& part) {
      if (!part.empty()) out += (out.empty() ? "" : separator()) + part;
    };
    if (!target.python_version.empty()) add("CPython " + printable(target.python_version));
    add(printable(target.capability));
    return out;
  }

  void header() {
    auto right = versions();
    Line line;
    auto left = shorten_middle(title(), width_, glyph_.ellipsis);
    line.add(paint_(left, Style::bold), columns(left));
    if (line.width() + 2 + columns(right) > width_) {  // a line of its own
      put(line.text());
      line = Line();
      right = shorten_middle(right, width_, glyph_.ellipsis);
    } else {
      line.to(width_ - columns(right));
    }
    line.add(paint_(right, Style::dim), columns(right));
    put(line.text());
    if (options_.gdb_order) put(paint_(story_.words().order_bt, Style::dim));
    put("");
  }

  void from() {
    if (!story_.from || story_.from->code.empty()) return;
    const auto& from = *story_.from;
    Line line;
    line.add("  " + paint_(from.place, Style::dim), 2 + columns(from.place));
    line.add("   ", 3);
    int begin = line.width();
    auto code = printable(from.code);
    code = shorten_middle(code, std::max(12, width_ - begin), glyph_.ellipsis);
    line.add(code, columns(code));
    put(line.text());
    if (!from.marks.empty()) marks(begin);
    put("");
  }

  // Under the line of code: thin where an operation has returned, thick where its call is running, dotted where it is still to come.
  void marks(int begin) {
    const auto& from = *story_.from;
    Line line;
    for (const auto& mark : from.marks) {
      int first = begin + columns_before(from.code, static_cast<int>(mark.begin));
      int size = begin + columns_before(from.code, static_cast<int>(mark.end)) - first;
      if (first + size > width_) break;
      line.to(first);
      for (int i = 0; i < size; ++i) {
        if (mark.state == "current")
          line.add(paint_(glyph_.current, Tone::python, true), 1);
        else if (mark.state == "pending")
          line.add(paint_(glyph_.pending, Style::dim), 1);
        else
          line.add(paint_(i == 0 ? glyph_.returned_begin : glyph_.returned, Style::dim), 1);
      }
    }
    const auto& w = story_.words();
    auto legend = fmt::format("{}{} {}   {} {}   {} {}", glyph_.returned_begin, glyph_.returned, w.returned, glyph_.current, w.on_stack,
                              glyph_.pending, w.pending);
    int place = std::max(line.width(), begin + columns(from.code)) + 3;
    if (place + columns(legend) <= width_) {
      line.to(place);
      line.add(paint_(legend, Style::dim), columns(legend));
      put(line.text());
    } else {
      put(line.text());
      Line under;
      under.to(2);
      for (const auto& text : wrap(legend, width_ - 2)) put("  " + paint_(text, Style::dim));
    }
  }

  void source() {
    if (story_.event->frames.empty()) return;
    const auto& frame = story_.event->frames.front();
    if (!frame.source || !frame.source->excerpt || !frame.source->line) return;
    const auto& excerpt = *frame.source->excerpt;
    put("  " + paint_(printable(file_name(frame.source->file)), Style::dim));
    for (int n = *frame.source->line - 1; n <= *frame.source->line + 1; ++n) {
      auto at = n - excerpt.first;
      if (at < 0 || static_cast<std::size_t>(at) >= excerpt.lines.size()) continue;
      source_line(n, excerpt.lines[static_cast<std::size_t>(at)], n == *frame.source->line);
    }
    put("");
  }

  // Short enough to leave the line of source its room: what the row says about it is shorter where a value is many.
  std::string stop_value() const {
    constexpr int longest = 30;
    auto value = story_.to ? story_.to->state : std::string();
    if (columns(value) <= longest) return value;
    const auto& choice = story_.rows.front().choice;
    return shorten_middle(choice ? choice->options[choice->taken] : value, longest, glyph_.ellipsis);
  }

  void source_line(int number, const std::string& raw, bool here) {
    Line line;
    auto tone = story_.rows.front().stage.tone;
    line.add("  " + (here ? paint_(glyph_.here, tone, true) : std::string(" ")), 3);
    auto text = fmt::format("{:>3}   ", number);
    line.add(paint_(text, Style::dim), columns(text));
    auto value = here ? stop_value() : std::string();
    int room = width_ - line.width() - (value.empty() ? 0 : columns(value) + 2);
    auto code = printable(raw);
    if (columns(code) > room) code = shorten_middle(code, std::max(20, room), glyph_.ellipsis);
    line.add(here ? paint_(code, Style::bold) : code, columns(code));
    if (!value.empty() && line.width() + 2 + columns(value) <= width_) {
      line.to(width_ - columns(value));
      line.add(paint_(value, tone, true), columns(value));
    }
    put(line.text());
  }

  void wrapped(const std::string& text) {
    for (const auto& line : wrap(text, width_ - 2)) put("  " + paint_(line, Style::dim));
  }

  void totals() {
    const auto& t = story_.totals;
    auto text = story_.words().totals(t.native, t.python, t.elided);
    if (!options_.verdict.empty()) text = options_.verdict + ": " + text;
    wrapped(text + (story_.language == "zh" ? "。" : "."));
    if (!story_.event->complete)
      wrapped(printable(story_.event->incomplete_reason.empty() ? "The walk did not reach the thread's start."
                                                                : "Incomplete: " + story_.event->incomplete_reason));
    if (!story_.event->thread.note.empty()) wrapped(printable(story_.event->thread.note));
    for (const auto& module : story_.recording->modules)
      if (!module.advice.empty() && module.debug != "full" && counts(module)) wrapped(printable(module.name + ": " + module.advice));
    for (const auto& line : options_.hints) put("  " + paint_(line, Style::dim));
    for (const auto& line : options_.wrote) put("  " + paint_(line, Style::dim));
  }

  // Modules of which a frame stands on this path outside Python's start: what is missing there hides part of the path.
  bool counts(const RecordedModule& module) const {
    for (const auto& f : story_.event->frames)
      if (f.module && &story_.recording->modules[static_cast<std::size_t>(*f.module)] == &module && f.layer != Layer::startup &&
          f.layer != Layer::runtime)
        return true;
    return false;
  }

  const Story& story_;
  const TerminalOptions& options_;
  const Glyphs& glyph_;
  Paint paint_;
  int width_;
  std::vector<std::string> lines_;
};

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const char* value = variable(name); *value) return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
  return false;
}

}  // namespace

std::string terminal(const Recording& recording, std::size_t event, const TerminalOptions& given) {
  auto options = given;
  options.width = std::clamp(options.width, 40, 120);
  auto story = story_of(recording, event, options.language, options.notes ? *options.notes : Notes::built_in());
  auto text = Form(story, options).text();
  return options.utf8 ? text : in_ascii(std::move(text));
}

TerminalOptions terminal_options_from_environment(bool no_color) {
  TerminalOptions out;
  bool tty = isatty(STDOUT_FILENO) != 0;
  out.utf8 = utf8_locale();
  std::string term = variable("TERM"), colorterm = variable("COLORTERM");
  if (tty && !no_color && !*variable("NO_COLOR") && term != "dumb") {
    out.colour = colorterm == "truecolor" || colorterm == "24bit" ? Colour::full : Colour::basic;
    std::string ground = variable("COLORFGBG");  // "15;0": a light ground is 7 or 15
    out.dark = !(ground.ends_with(";15") || ground.ends_with(";7"));
  }
  winsize size{};
  if (tty && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) out.width = size.ws_col;
  return out;
}

}  // namespace callpath
