#include "explain/story.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "core/error.hpp"
#include "explain/names.hpp"
#include "explain/text.hpp"

namespace callpath {
namespace {

// The excerpt's line with that number as it stands in the file.
const std::string* raw_line(const Frame& frame, int line) {
  if (!frame.source || !frame.source->excerpt) return nullptr;
  const auto& excerpt = *frame.source->excerpt;
  auto at = line - excerpt.first;
  return at >= 0 && static_cast<std::size_t>(at) < excerpt.lines.size() ? &excerpt.lines[static_cast<std::size_t>(at)] : nullptr;
}

struct Trimmed {
  std::string text;
  std::size_t cut = 0;  // bytes taken from the front
};

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Without indentation and, for Python, without a comment at its end: the statement is what is looked at.
Trimmed trim(const std::string& line, std::size_t keep) {
  Trimmed out;
  while (out.cut < line.size() && blank(line[out.cut])) ++out.cut;
  auto end = line.size();
  auto comment = line.find("  #", std::max(keep, out.cut));
  if (keep > 0 && comment != std::string::npos) end = comment;
  while (end > out.cut && blank(line[end - 1])) --end;
  out.text = line.substr(out.cut, end - out.cut);
  return out;
}

bool on_line(const Operation& op, int line) {
  return op.mark_begin && op.mark_end && *op.mark_begin < *op.mark_end && op.line == line && op.end_line.value_or(line) == line;
}

// Inner operations are drawn over the ones that contain them; what overlaps is cut.
std::vector<Mark> marks_on(const std::vector<Operation>& operations, int line, const Trimmed& shown) {
  std::vector<int> owner(shown.text.size(), -1);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < operations.size(); ++i)
    if (on_line(operations[i], line)) order.push_back(i);
  auto size = [&](std::size_t i) { return *operations[i].mark_end - *operations[i].mark_begin; };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return size(a) > size(b); });
  for (auto i : order)
    for (int c = *operations[i].mark_begin; c < *operations[i].mark_end; ++c)
      if (auto at = c - static_cast<int>(shown.cut); at >= 0 && static_cast<std::size_t>(at) < owner.size())
        owner[static_cast<std::size_t>(at)] = static_cast<int>(i);
  std::vector<Mark> out;
  for (std::size_t c = 0; c < owner.size(); ++c) {
    bool goes_on = c > 0 && owner[c] == owner[c - 1];
    if (owner[c] < 0) continue;
    if (goes_on)
      ++out.back().end;
    else
      out.push_back({c, c + 1, operations[static_cast<std::size_t>(owner[c])].state});
  }
  return out;
}

// How an operation is called in a sentence: what stands under its mark, or its operator, or its opcode.
std::string spoken(const Operation& op, const std::string* line) {
  if (line && op.mark_begin && op.mark_end && op.end_line.value_or(*op.line) == *op.line &&
      static_cast<std::size_t>(*op.mark_end) <= line->size() && *op.mark_begin >= 0 && *op.mark_begin < *op.mark_end)
    return printable(line->substr(static_cast<std::size_t>(*op.mark_begin), static_cast<std::size_t>(*op.mark_end - *op.mark_begin)));
  return printable(op.argrepr.empty() ? op.opcode : op.argrepr);
}

std::string state_of(const Event& event, const Frame& user, const Words& words, std::string& current) {
  int returned = 0;
  std::string pending;
  for (const auto& op : event.operations) {
    const std::string* line = op.line ? raw_line(user, *op.line) : nullptr;
    if (op.state == "returned")
      ++returned;
    else if (op.state == "current")
      current = shorten_middle(spoken(op, line), 40);
    else
      pending += (pending.empty() ? "" : ", ") + shorten_middle(spoken(op, line), 24);
  }
  return words.state(returned, current, shorten_middle(pending, 60));
}

std::optional<End> from_of(const Event& event, const Recording& recording, const Words& words) {
  auto at = user_frame(event);
  if (!at) return std::nullopt;
  const auto& frame = event.frames[*at];
  End out;
  out.place = place(frame, recording);
  int line = frame.source && frame.source->line ? *frame.source->line : 0;
  const auto* raw = raw_line(frame, line);
  if (!raw) {
    out.code = display_name(frame);
    return out;
  }
  std::size_t keep = 0;
  for (const auto& op : event.operations)
    if (op.end_column && op.end_line == line) keep = std::max(keep, static_cast<std::size_t>(std::max(0, *op.end_column)));
  auto shown = trim(*raw, keep);
  out.marks = marks_on(event.operations, line, shown);
  out.code = shown.text;
  out.state = event.operations.empty() ? "" : state_of(event, frame, words, out.current);
  return out;
}

// An address says nothing to a reader.
bool worth_showing(const Value& v) {
  if (!v.value || v.name.empty() || v.name == "__closure" || v.name == "this") return false;
  return !v.value->starts_with("0x") && !v.value->starts_with("@0x") && v.value->find(") 0x") == std::string::npos;
}

bool names_variable(const std::string& condition, const std::string& name) {
  auto part_of_name = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); };
  for (auto at = condition.find(name); at != std::string::npos; at = condition.find(name, at + 1)) {
    auto end = at + name.size();
    if ((at == 0 || !part_of_name(condition[at - 1])) && (end == condition.size() || !part_of_name(condition[end]))) return true;
  }
  return false;
}

std::string value_text(const Value& v) { return printable(v.name) + " = " + printable(*v.value); }

// What an event of Python's is about, else what the condition of the stop asks about, else the first argument; empty if there is nothing
// worth showing.
std::string told_value(const Event& event) {
  if (const auto* subject = subject_of(event)) return printable(subject->name) + " " + printable(subject->text);
  const auto& frame = event.frames.front();
  std::string out;
  for (const auto* values : {&frame.arguments, &frame.locals})
    for (const auto& v : *values)
      if (worth_showing(v) && names_variable(event.trigger.condition, v.name)) out += (out.empty() ? "" : ", ") + value_text(v);
  if (!out.empty()) return out;
  for (const auto& v : frame.arguments)
    if (worth_showing(v)) return value_text(v);
  return {};
}

std::optional<End> to_of(const Event& event, const Recording& recording) {
  if (event.frames.empty()) return std::nullopt;
  const auto& frame = event.frames.front();
  End out;
  out.place = place(frame, recording);
  out.code = source_line(frame);
  if (out.code.empty()) out.code = display_name(frame);
  out.state = shorten_middle(told_value(event), 60);
  return out;
}

const char* confidence_word(const Frame& frame, const Words& words) {
  switch (frame.confidence) {
    case Confidence::symbol:
      return words.symbol_only;
    case Confidence::module:
      return words.unknown;
    case Confidence::inferred:
      return words.inferred;
    default:
      return "";
  }
}

bool in_stage(const Stage& stage, int frame) {
  return frame >= 0 && std::find(stage.frames.begin(), stage.frames.end(), static_cast<std::size_t>(frame)) != stage.frames.end();
}

// Several frames may have a fact of that name (each dispatcher call its own key set): a decision rests on the one of its own frame, or else
// on the one read nearest to it.
const Fact* fact_behind(const Decision& decision, const std::string& name, const Event& event) {
  const Fact* found = nullptr;
  auto away = [&](const Fact& fact) { return std::abs(fact.frame - decision.frame); };
  for (const auto& fact : event.facts)
    if (fact.name == name && (!found || away(fact) < away(*found))) found = &fact;
  return found;
}

void add_facts(Row& row, const Event& event) {
  auto add = [&](const Fact& fact) {
    if (std::find(row.facts.begin(), row.facts.end(), &fact) == row.facts.end()) row.facts.push_back(&fact);
  };
  for (const auto* decision : row.decisions)
    for (const auto& name : decision->facts)
      if (const auto* fact = fact_behind(*decision, name, event)) add(*fact);
  for (const auto& fact : event.facts)
    if (in_stage(row.stage, fact.frame)) add(fact);
}

void add_choice(Row& row, const Event& event, std::string_view language) {
  const Decision* shown = nullptr;
  for (const auto& decision : event.decisions) {
    if (!in_stage(row.stage, decision.frame)) continue;
    row.decisions.push_back(&decision);
    if (!shown || static_cast<std::size_t>(decision.frame) == row.stage.key)
      shown = shown && static_cast<std::size_t>(shown->frame) == row.stage.key ? shown : &decision;
  }
  row.asked = shown;
  if (shown)
    row.choice = choice_of(*shown, 24, language);
  else if (row.stage.innermost)
    if (auto value = told_value(event); !value.empty()) row.choice = Choice{"", {shorten_middle(value, 22)}, 0};
}

Row row_of(const Recording& recording, const Event& event, const std::vector<Stage>& stages, std::size_t at, std::string_view language,
           const Notes& notes) {
  Row row;
  row.note = tell(notes, recording, event, stages, at, language);
  row.stage = stages[at];
  row.stage.key = row.note.key;
  const auto& key = event.frames[row.stage.key];
  row.name = display_name(key);
  row.place = place(key, recording);
  row.confidence = confidence_word(key, words(language));
  row.sentence = row.note.text.sentence;
  if (row.stage.folded) row.sentence = words(language).folded(row.stage.count + row.stage.python_count) + row.sentence;
  auto code = row.stage.innermost ? source_line(key) : "";
  if (!code.empty()) row.sentence = code, row.code_sentence = true;
  if (row.stage.repeats > 1) row.name += " " + words(language).rounds(row.stage.repeats);
  add_choice(row, event, language);
  add_facts(row, event);
  return row;
}

}  // namespace

const Fact* subject_of(const Event& event) {
  const std::string name = event.trigger.kind == "class-build" ? "class" : event.trigger.kind;
  for (const auto& fact : event.facts)
    if (fact.frame == 0 && fact.name == name) return &fact;
  return nullptr;
}

std::string source_line(const Frame& frame) {
  if (!frame.source || !frame.source->line) return {};
  const auto* raw = raw_line(frame, *frame.source->line);
  return raw ? printable(trim(*raw, 0).text) : std::string();
}

Choice choice_of(const Decision& decision, int limit, std::string_view language) {
  Choice out;
  out.label = printable(in_language(decision.label, language));
  for (const auto& option : decision.options) {
    if (option == decision.taken) out.taken = out.options.size();
    out.options.push_back(printable(in_language(option, language)));
  }
  if (std::find(decision.options.begin(), decision.options.end(), decision.taken) == decision.options.end()) {
    out.taken = out.options.size();
    out.options.push_back(printable(in_language(decision.taken, language)));
  }
  const Choice whole = out;
  std::size_t first = 0, last = out.options.size() - 1;  // what is left of them
  auto fits = [&] { return columns(to_string(out)) <= limit; };
  while (!fits() && first < last) {  // from the end that is farther from the taken one
    if (whole.taken - first > last - whole.taken)
      ++first;
    else
      --last;
    out.options.assign(whole.options.begin() + static_cast<long>(first), whole.options.begin() + static_cast<long>(last) + 1);
    out.taken = whole.taken - first;
    if (first > 0) out.options.insert(out.options.begin(), "…"), ++out.taken;
    if (last + 1 < whole.options.size()) out.options.emplace_back("…");
  }
  if (!fits()) out.options = {whole.options[whole.taken]}, out.taken = 0;
  if (!fits()) out.label.clear();
  if (!fits()) out.options[out.taken] = shorten_middle(out.options[out.taken], limit - 2);
  return out;
}

std::string to_string(const Choice& choice) {
  std::string out = choice.label;
  for (std::size_t i = 0; i < choice.options.size(); ++i) {
    if (!out.empty()) out += ' ';
    out += i == choice.taken ? "[" + choice.options[i] + "]" : choice.options[i];
  }
  return out;
}

Story story_of(const Recording& recording, std::size_t event, std::string_view language, const Notes& notes) {
  if (event >= recording.events.size())
    throw Error(fmt::format("the recording has {} event{}, there is no number {}", recording.events.size(),
                            recording.events.size() == 1 ? "" : "s", event + 1));
  Story story;
  story.recording = &recording;
  story.event = &recording.events[event];
  story.language = language;
  auto stages = stages_of(*story.event, recording);
  for (std::size_t i = 0; i < stages.size(); ++i) story.rows.push_back(row_of(recording, *story.event, stages, i, language, notes));
  story.from = from_of(*story.event, recording, story.words());
  story.to = to_of(*story.event, recording);
  for (const auto& f : story.event->frames)
    ++(f.kind == Kind::python ? story.totals.python : f.kind == Kind::elided ? story.totals.elided : story.totals.native);
  return story;
}

}  // namespace callpath
