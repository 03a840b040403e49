#include "views/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "core/error.hpp"
#include "explain/names.hpp"
#include "explain/text.hpp"
#include "views/html_modules.hpp"

namespace callpath {
namespace {

using fmt::format;

// Notes write code between backticks; everything else in them is text.
std::string note_text(std::string_view text) {
  std::string out;
  for (bool code = false;; code = !code) {
    auto tick = text.find('`');
    auto part = text.substr(0, tick);
    out += code ? markdown_code(part) : markdown_text(part);
    if (tick == std::string_view::npos) return out;
    text.remove_prefix(tick + 1);
  }
}

std::string choice_text(const Choice& choice) {
  std::string out = markdown_text(choice.label);
  for (std::size_t i = 0; i < choice.options.size(); ++i) {
    if (!out.empty()) out += ' ';
    out += i == choice.taken ? "**" + markdown_code(choice.options[i]) + "**" : markdown_code(choice.options[i]);
  }
  return out;
}

// A fence longer than any in the text.
std::string fenced(const std::string& text, const char* language) {
  std::size_t longest = 2, run = 0;
  for (char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  std::string fence(longest + 1, '`');
  return fence + language + "\n" + text + fence + "\n\n";
}

class Writer {
 public:
  Writer(std::ostream& out, const Story& story, std::size_t number, bool many) : out_(out), story_(story), w_(story.words()) {
    level_ = many ? "##" : "#";
    number_ = many ? format("{}. ", number + 1) : "";
  }

  void write() {
    heading();
    stages();
    for (auto row = story_.rows.rbegin(); row != story_.rows.rend(); ++row) stage(*row);
    frames();
    modules();
  }

 private:
  void head(std::initializer_list<const char*> cells) {
    for (const auto* cell : cells) out_ << "| " << cell << " ";
    out_ << "|\n";
    for (std::size_t i = 0; i < cells.size(); ++i) out_ << "| --- ";
    out_ << "|\n";
  }
  void row(std::initializer_list<std::string> cells) {
    for (const auto& cell : cells) out_ << "| " << cell << (cell.empty() ? "" : " ");
    out_ << "|\n";
  }

  void end(const char* label, const End& end) {
    out_ << label << " " << markdown_text(end.place) << ": " << markdown_code(end.code);
    auto state = end.state;
    std::erase_if(state, [](char c) { return c == '\1' || c == '\2'; });
    if (!state.empty()) out_ << "  \n" << markdown_text(state);
    out_ << "\n\n";
  }

  void heading() {
    auto to = story_.to ? story_.to->place : std::string();
    out_ << level_ << " " << number_ << markdown_text(story_.from ? story_.from->place + " → " + to : to) << "\n\n";
    if (story_.from) end(w_.from, *story_.from);
    if (story_.to) end(w_.to, *story_.to);
    out_ << markdown_text(w_.totals(story_.totals.native, story_.totals.python, story_.totals.elided)) << "\n\n";
  }

  void stages() {
    head({w_.frame, w_.layer, w_.function, w_.place, w_.decided, w_.sentence});
    for (auto at = story_.rows.rbegin(); at != story_.rows.rend(); ++at) {
      const auto& r = *at;
      auto rounds = r.stage.folded && r.stage.repeats > 1 ? w_.rounds(r.stage.repeats) + " " : "";
      row({number_range(r.stage), to_string(r.stage.layer), r.stage.folded ? "" : markdown_code(r.name),
           r.stage.folded ? "" : markdown_text(r.place), r.choice ? choice_text(*r.choice) : "",
           markdown_text(rounds) + (r.code_sentence ? markdown_code(r.sentence) : note_text(r.sentence))});
    }
    out_ << "\n";
  }

  void source(const Frame& frame) {
    if (!frame.source || !frame.source->excerpt) return;
    const auto& excerpt = *frame.source->excerpt;
    std::string text;
    for (std::size_t i = 0; i < excerpt.lines.size(); ++i) {
      int number = excerpt.first + static_cast<int>(i);
      auto line = excerpt.lines[i].substr(0, excerpt.lines[i].find_first_of("\r\n"));
      text += format("{} {:>5}  {}\n", number == frame.source->line ? ">" : " ", number, printable(line));
    }
    if (!text.empty()) out_ << fenced(text, "text");
  }

  void facts(const Row& r) {
    if (r.facts.empty()) return;
    head({w_.fact, w_.value, w_.how});
    for (const auto* fact : r.facts) {
      auto unit = fact->unit.empty() ? "" : " " + markdown_text(in_language(fact->unit, story_.language));
      row({markdown_code(fact->name), markdown_code(fact->text) + unit, markdown_text(in_language(fact->how, story_.language))});
    }
    out_ << "\n";
  }

  void stage(const Row& r) {
    if (r.stage.folded) return;
    out_ << level_ << "# " << number_range(r.stage) << " " << to_string(r.stage.layer) << ": " << note_text(r.note.text.title) << "\n\n";
    if (!r.note.text.sentence.empty()) out_ << note_text(r.note.text.sentence) << "\n\n";
    source(story_.event->frames[r.stage.key]);
    for (const auto* decision : r.decisions)
      if (!decision->question.empty())
        out_ << markdown_text(story_.question(*decision)) << " " << choice_text(choice_of(*decision, 60, story_.language)) << "\n\n";
    facts(r);
    if (!r.note.text.text.empty()) out_ << note_text(r.note.text.text) << "\n\n";
    if (!r.note.text.otherwise.empty()) out_ << "> " << note_text(r.note.text.otherwise) << "\n\n";
  }

  void frames() {
    out_ << level_ << "# " << w_.every_frame << "\n\n";
    head({w_.frame, w_.layer, w_.function, w_.place, w_.kind});
    const auto& all = story_.event->frames;
    for (std::size_t i = all.size(); i-- > 0;) {
      const auto& f = all[i];
      row({f.number ? std::to_string(*f.number) : "–", to_string(f.layer), markdown_code(f.name),
           markdown_text(place(f, *story_.recording)), to_string(f.kind)});
    }
    out_ << "\n";
  }

  void modules() {
    auto lacking = lacking_modules(story_);
    if (lacking.empty()) return;
    out_ << level_ << "# " << w_.modules << "\n\n";
    head({w_.module, w_.debug, w_.missing_frames, w_.advice});
    for (const auto& m : lacking)
      row({markdown_code(m.module->path.empty() ? m.module->name : m.module->path) + " " + markdown_text(m.module->build_id),
           markdown_text(in_language(m.module->debug, story_.language)), w_.of_frames(m.missing, m.frames),
           markdown_text(in_language(m.module->advice, story_.language))});
    out_ << "\n";
  }

  std::ostream& out_;
  const Story& story_;
  const Words& w_;
  std::string level_, number_;
};

}  // namespace

std::string markdown_code(std::string_view given) {
  auto text = printable(given);
  if (text.empty()) return {};
  std::size_t longest = 0, run = 0;
  for (char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  std::string fence(longest + 1, '`'), inside;
  for (char c : text) inside += c == '|' ? "\\|" : std::string(1, c);
  // One blank at each end is taken away where the text is not all blanks; it keeps backticks and blanks at the ends what they are.
  bool blanks = text.find_first_not_of(' ') == std::string::npos;
  bool pad = !blanks && (text.front() == '`' || text.back() == '`' || (text.front() == ' ' && text.back() == ' '));
  return pad ? fence + " " + inside + " " + fence : fence + inside + fence;
}

std::string markdown_text(std::string_view text) {
  std::string out;
  for (char c : printable(text)) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '@')
      out += "&#64;";  // a name is no mention of a user
    else if (std::string_view("\\`*_[]#|~").find(c) != std::string_view::npos || (out.empty() && (c == '+' || c == '-')))
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

void write_markdown(std::ostream& out, const Recording& recording, const HtmlOptions& options) {
  if (recording.events.empty())
    throw Error("the recording has no events: there is no path to show", "Record again; `callpath run` says why a stop was not reached.");
  const auto& notes = options.notes ? *options.notes : Notes::built_in();
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    auto story = story_of(recording, i, options.language, notes);
    Writer(out, story, i, recording.events.size() > 1).write();
  }
}

}  // namespace callpath
