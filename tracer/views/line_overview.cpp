#include "views/line_overview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "explain/text.hpp"
#include "views/canvas.hpp"

namespace callpath {
namespace {

const Fact* fact(const Event& event, const std::string& name) {
  for (const auto& f : event.facts)
    if (f.name == name) return &f;
  return nullptr;
}

/// The Python frame that stands on the line.
const Frame* line_frame(const Event& event) {
  const Fact* entered = fact(event, "functions_entered");
  if (!entered || entered->frame < 0 || static_cast<std::size_t>(entered->frame) >= event.frames.size()) return nullptr;
  const Frame& frame = event.frames[static_cast<std::size_t>(entered->frame)];
  return frame.python && frame.python->instruction ? &frame : nullptr;
}

std::string line_text(const Frame& frame, int line) {
  if (!frame.source || !frame.source->excerpt) return {};
  const auto& excerpt = *frame.source->excerpt;
  const int at = line - excerpt.first;
  return at >= 0 && static_cast<std::size_t>(at) < excerpt.lines.size() ? excerpt.lines[static_cast<std::size_t>(at)] : std::string();
}

/// "** 3" where the operation's own columns are known, else the whole expression.
std::string own_text(const Event& event, const Frame& frame) {
  const Instruction& at = *frame.python->instruction;
  const auto text = line_text(frame, at.line.value_or(0));
  std::optional<int> begin = at.column, end = at.end_column;
  for (const auto& operation : event.operations)
    if (operation.state == "current" && operation.offset == at.offset && operation.mark_begin)
      begin = operation.mark_begin, end = operation.mark_end;
  if (!begin || !end || at.line != at.end_line || *begin < 0 || *end > static_cast<int>(text.size()) || *begin >= *end) return {};
  return text.substr(static_cast<std::size_t>(*begin), static_cast<std::size_t>(*end - *begin));
}

struct OverviewRow {
  std::string text, opcode, path, entered;
};

std::string place_of(const Frame& frame, const Recording& recording) {
  if (frame.source && frame.source->line)
    return fmt::format("{}:{}", frame.source->file.substr(frame.source->file.find_last_of('/') + 1), *frame.source->line);
  if (!frame.module || static_cast<std::size_t>(*frame.module) >= recording.modules.size()) return {};
  const auto& name = recording.modules[static_cast<std::size_t>(*frame.module)].name;
  return frame.name == "??" && frame.offset ? fmt::format("{}+{:#x}", name, *frame.offset) : name;
}

OverviewRow row_of(const Event& event, const Recording& recording) {
  const Frame& line = *line_frame(event);
  const Instruction& at = *line.python->instruction;
  OverviewRow row;
  row.text = own_text(event, line);
  row.opcode = at.argrepr.empty() || !row.text.empty() ? at.opcode : at.opcode + " " + at.argrepr;
  // Functions inlined at the entry of the one that was entered tell less than it.
  const auto physical = std::find_if(event.frames.begin(), event.frames.end(), [](const Frame& f) { return f.kind != Kind::inlined; });
  const Frame& innermost = physical == event.frames.end() ? event.frames.front() : *physical;
  row.path =
      innermost.name == "??" ? place_of(innermost, recording) : fmt::format("{} ({})", innermost.name, place_of(innermost, recording));
  const auto entered = fact(event, "functions_entered")->text;
  row.entered = fmt::format("{} function{}", entered, entered == "1" ? "" : "s");
  return row;
}

}  // namespace

std::string line_overview(const Recording& recording, const TerminalOptions& options) {
  const Glyphs& glyph = glyphs(options.utf8);
  const Paint paint(options.colour, options.dark);
  std::vector<OverviewRow> rows;
  std::set<std::string> skipped;
  const Frame* first = nullptr;
  for (const auto& event : recording.events) {
    const Frame* frame = event.trigger.kind == "line" && !event.frames.empty() ? line_frame(event) : nullptr;
    if (!frame) continue;
    if (!first) first = frame;
    rows.push_back(row_of(event, recording));
    for (const char* name : {"not_followed", "stopped_following"}) {
      const Fact* f = fact(event, name);
      if (!f) continue;
      if (f->value.is_array())
        for (const auto& item : f->value) skipped.insert(item.get<std::string>());
      else
        skipped.insert("following stopped " + f->text);
    }
  }
  if (rows.empty()) return {};
  std::size_t width = 0, opcode_width = 0;
  for (const auto& row : rows) {
    width = std::max<std::size_t>(width, static_cast<std::size_t>(std::min(columns(printable(row.text)), 24)));
    opcode_width = std::max(opcode_width, row.opcode.size());
  }
  auto statement = printable(line_text(*first, first->source && first->source->line ? *first->source->line : 0));
  statement.erase(0, statement.find_first_not_of(' '));
  std::string out = paint(shorten_middle(statement, options.width - 2, glyph.ellipsis), Style::bold) + "\n\n";
  for (const auto& row : rows) {
    const auto left = fmt::format(
        "  {}  {}  ", pad_right(shorten_middle(printable(row.text), static_cast<int>(width), glyph.ellipsis), static_cast<int>(width)),
        pad_right(row.opcode, static_cast<int>(opcode_width)));
    const int room = std::max(16, options.width - columns(left) - columns(row.entered) - 2);
    out += left + pad_right(shorten_middle(printable(row.path), room, glyph.ellipsis), room) + "  " + paint(row.entered, Style::dim) + "\n";
  }
  for (const auto& text : skipped)
    for (const auto& line : wrap("Not followed: " + text, options.width - 2)) out += "  " + paint(printable(line), Style::dim) + "\n";
  return options.utf8 ? out : in_ascii(std::move(out));
}

}  // namespace callpath
