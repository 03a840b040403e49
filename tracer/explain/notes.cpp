#include "explain/notes.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <unordered_map>

#include "core/error.hpp"
#include "explain/embedded.hpp"
#include "explain/names.hpp"
#include "explain/text.hpp"

namespace callpath {
namespace {

nlohmann::json json_of(const toml::node& node) {
  if (auto v = node.value_exact<std::string>()) return *v;
  if (auto v = node.value_exact<bool>()) return *v;
  if (auto v = node.value_exact<std::int64_t>()) return *v;
  if (auto v = node.value_exact<double>()) return *v;
  nlohmann::json list = nlohmann::json::array();
  if (const auto* array = node.as_array())
    for (const auto& element : *array) list.push_back(json_of(element));
  return list;
}

NoteText words(const toml::table* table, const std::string& id, const std::string& where) {
  NoteText out;
  if (!table) return out;
  for (const auto& [key, node] : *table) {
    auto text = node.value<std::string>().value_or("");
    if (key == "title")
      out.title = text;
    else if (key == "sentence")
      out.sentence = text;
    else if (key == "text")
      out.text = text;
    else if (key == "else")
      out.otherwise = text;
    else if (key == "tell")
      out.tell = text;
    else
      throw Error(fmt::format("{}: note {} has a member {} that notes do not have", where, id, std::string(key.str())));
  }
  return out;
}

// A pattern that is none is told when the catalogue is read, not when a record first asks it.
void check(const Condition& when, const std::string& id, const std::string& where) {
  static const std::set<std::string> patterns = {"function", "has", "inner_has", "opcode", "module", "file"};
  if (when.value.is_null() || (when.value.is_array() && when.value.empty()))
    throw Error(fmt::format("{}: note {}: the condition {} has no value", where, id, when.key));
  if (when.key == "layer" && when.value.is_string()) {
    for (int i = 0; i <= static_cast<int>(Layer::unknown); ++i)
      if (when.value == to_string(static_cast<Layer>(i))) return;
    throw Error(fmt::format("{}: note {}: there is no layer {}", where, id, when.value.dump()),
                "callpath's layers: user, wrapper, protocol, binding, dispatcher, autograd, operator, stub, loop, kernel, ...");
  }
  if (patterns.count(when.key) == 0) return;
  if (!when.value.is_string()) throw Error(fmt::format("{}: note {}: {} is not a regular expression", where, id, when.key));
  try {
    std::regex tried(when.value.get<std::string>());
  } catch (const std::regex_error& error) {
    throw Error(fmt::format("{}: note {}: {} = '{}' is not a regular expression: {}", where, id, when.key, when.value.get<std::string>(),
                            error.what()));
  }
}

Note note_of(const toml::table& table, const std::string& where) {
  Note note;
  note.id = table["id"].value_or(std::string());
  if (note.id.empty()) throw Error(where + ": a note has no id");
  if (const auto* when = table["when"].as_table())
    for (const auto& [key, node] : *when) note.when.push_back({std::string(key.str()), json_of(node)});
  for (const auto& when : note.when) check(when, note.id, where);
  std::stable_partition(note.when.begin(), note.when.end(), [](const Condition& c) { return c.key == "layer"; });  // cheapest first
  note.en = words(table["en"].as_table(), note.id, where);
  note.zh = words(table["zh"].as_table(), note.id, where);
  if (note.en.sentence.empty() || note.en.title.empty()) throw Error(where + ": note " + note.id + " has no English title and sentence");
  return note;
}

std::optional<std::string> word_of(const std::string& name, const Recording&, const Event&, const Stage&, std::size_t key);

// ---- conditions
// ----------------------------------------------------------------------------------------------------------------------------

struct Context {
  const Recording& recording;
  const Event& event;
  const std::vector<Stage>& stages;
  std::size_t at;
  const Stage& stage() const { return stages[at]; }
};

// A pattern with what it was asked before: a record of many events asks about the same names again and again.
struct Pattern {
  std::regex compiled;
  std::unordered_map<std::string, bool> answers;
};

// std::regex recurses with the text's length: a name of a megabyte would overflow the stack, so only its start is looked at.
bool matches(const std::string& text, const nlohmann::json& pattern) {
  constexpr std::size_t longest = 8192, most_answers = 4096;
  static thread_local std::map<std::string, Pattern, std::less<>> patterns;
  const auto& source = pattern.get_ref<const std::string&>();
  auto at = patterns.find(source);
  if (at == patterns.end()) at = patterns.emplace(source, Pattern{std::regex(source, std::regex::ECMAScript), {}}).first;
  auto& answers = at->second.answers;
  if (auto known = answers.find(text); known != answers.end()) return known->second;
  bool found = std::regex_search(text.begin(), text.begin() + static_cast<long>(std::min(text.size(), longest)), at->second.compiled);
  if (answers.size() < most_answers) answers.emplace(text, found);
  return found;
}

bool in_stage(const Stage& stage, int frame) {
  return frame >= 0 && std::find(stage.frames.begin(), stage.frames.end(), static_cast<std::size_t>(frame)) != stage.frames.end();
}

// A fact of the stage itself before one of another stage, and of those the nearest: several operators of a path may have a dtype of their
// own.
const Fact* find_fact(const Event& event, const Stage& stage, std::string_view name) {
  const Fact* found = nullptr;
  int distance = 0;
  for (const auto& fact : event.facts) {
    if (fact.name != name) continue;
    if (in_stage(stage, fact.frame)) return &fact;
    int away = std::min(std::abs(fact.frame - static_cast<int>(stage.frames.front())),
                        std::abs(fact.frame - static_cast<int>(stage.frames.back())));
    if (!found || away < distance) found = &fact, distance = away;
  }
  return found;
}

const Instruction* instruction_of(const Context& c) {
  // Of the stage's own Python frame, or for machinery of the Python frame that called into it.
  for (auto s = c.at; s < c.stages.size() && s <= c.at + 1; ++s)
    for (auto i : c.stages[s].frames)
      if (const auto& f = c.event.frames[i]; f.python && f.python->instruction) return &*f.python->instruction;
  return nullptr;
}

bool decided(const Context& c, const std::string& option) {
  return std::any_of(c.event.decisions.begin(), c.event.decisions.end(),
                     [&](const Decision& d) { return in_stage(c.stage(), d.frame) && d.taken == option; });
}

bool callee_is(const Context& c, const std::string& what) {
  if (c.at == 0) return what == "none";
  const auto& inner = c.stages[c.at - 1];
  return what == "python" ? inner.python_count > 0 : what == "native" ? inner.python_count == 0 : to_string(inner.layer) == what;
}

bool caller_is(const Context& c, const std::string& what) {
  if (c.at + 1 >= c.stages.size()) return what == "none";
  const auto& outer = c.stages[c.at + 1];
  return what == "python" ? outer.python_count > 0 : to_string(outer.layer) == what;
}

bool has_frame(const Context& c, const Stage& stage, const nlohmann::json& pattern) {
  return std::any_of(stage.frames.begin(), stage.frames.end(),
                     [&](std::size_t i) { return matches(display_name(c.event.frames[i]), pattern); });
}

/// [family, wanted]: the innermost frame of a family of functions must be one that is wanted.
bool nearest_is(const Context& c, const nlohmann::json& patterns) {
  if (!patterns.is_array() || patterns.size() != 2) return false;
  for (const auto i : c.stage().frames)
    if (const auto name = display_name(c.event.frames[i]); matches(name, patterns[0])) return matches(name, patterns[1]);
  return false;
}

bool module_is(const Context& c, std::size_t key, const nlohmann::json& pattern) {
  auto module = c.event.frames[key].module;
  return module && *module >= 0 && static_cast<std::size_t>(*module) < c.recording.modules.size() &&
         matches(c.recording.modules[static_cast<std::size_t>(*module)].name, pattern);
}

bool fact_is(const Context& c, const std::string& name, const nlohmann::json& wanted) {
  const auto* fact = find_fact(c.event, c.stage(), name);
  if (!fact) return false;
  if (wanted == "*") return true;
  if (wanted.is_array()) return std::find(wanted.begin(), wanted.end(), fact->value) != wanted.end();
  return fact->value == wanted;
}

// `function` picks the frame that names the stage; the other words only ask.
bool holds(const Condition& when, const Context& c, std::size_t& key) {
  const auto& v = when.value;
  if (when.key == "layer") return v == to_string(c.stage().layer);
  if (when.key == "has") return has_frame(c, c.stage(), v);
  if (when.key == "nearest") return nearest_is(c, v);
  if (when.key == "inner_has") return c.at > 0 && has_frame(c, c.stages[c.at - 1], v);
  if (when.key == "opcode") {
    const auto* at = instruction_of(c);
    return at && matches(at->opcode, v);
  }
  if (when.key == "operator") {
    const auto* at = instruction_of(c);
    return at && !at->argrepr.empty() && (v == "*" || v == at->argrepr);
  }
  if (when.key == "callee") return callee_is(c, v);
  if (when.key == "caller") return caller_is(c, v);
  if (when.key == "taken") return decided(c, v);
  if (when.key == "innermost_user") return v == (user_frame(c.event) == c.stage().key);
  if (when.key == "named") return v == (c.event.frames[c.stage().key].confidence != Confidence::module);
  if (when.key == "innermost") return v == c.stage().innermost;
  if (when.key == "elided") return v == c.stage().elided;
  if (when.key == "python") return v == (c.stage().python_count > 0);
  if (when.key == "module") return module_is(c, key, v);
  if (when.key == "file") return c.event.frames[key].source && matches(c.event.frames[key].source->file, v);
  if (when.key == "inlined") return v == (c.event.frames[key].kind == Kind::inlined);
  if (when.key == "python_frames") return v == c.stage().python_count;
  if (when.key == "user_operator") return v == word_of("operator", c.recording, c.event, c.stage(), key).value_or("");
  if (when.key == "engine") return v == c.recording.target.engine;
  if (when.key != "function") return fact_is(c, when.key, v);
  for (auto i : c.stage().frames)
    if (matches(display_name(c.event.frames[i]), v)) {
      key = i;
      return true;
    }
  return false;
}

// ---- braces
// --------------------------------------------------------------------------------------------------------------------------------

struct Brace {
  std::string name;
  std::optional<std::size_t> index;
};

Brace brace_of(std::string_view inside) {
  auto open = inside.find('[');
  if (open == std::string_view::npos) return {std::string(inside), {}};
  return {std::string(inside.substr(0, open)), std::stoul(std::string(inside.substr(open + 1)))};
}

std::optional<std::string> text_of(const Fact& fact, const Brace& brace) {
  if (!brace.index) return printable(fact.text);
  if (!fact.value.is_array() || *brace.index >= fact.value.size()) return std::nullopt;
  const auto& v = fact.value[*brace.index];
  return printable(v.is_string() ? v.get<std::string>() : v.dump());
}

std::optional<std::string> word_of(const std::string& name, const Recording& recording, const Event& event, const Stage& stage,
                                   std::size_t key) {
  const auto& frame = event.frames[key];
  if (name == "function") return display_name(frame);
  if (name == "frames") return grouped(std::to_string(stage.count));
  if (name == "python_frames") return grouped(std::to_string(stage.python_count));
  if (name == "module" && frame.module) return printable(recording.modules.at(static_cast<std::size_t>(*frame.module)).name);
  if (name == "file" && frame.source) return printable(file_name(frame.source->file));
  if (name == "line" && frame.source && frame.source->line) return std::to_string(*frame.source->line);
  if (name == "capability" && !recording.target.capability.empty()) return printable(recording.target.capability);
  if (name == "operator" || name == "script" || name == "script_line") {
    auto user = user_frame(event);
    if (!user) return std::nullopt;
    const auto& f = event.frames[*user];
    if (name == "script" && f.source) return printable(file_name(f.source->file));
    if (name == "script_line" && f.source && f.source->line) return std::to_string(*f.source->line);
    if (name == "operator" && f.python && f.python->instruction && !f.python->instruction->argrepr.empty())
      return printable(f.python->instruction->argrepr);
  }
  if (name == "operations" && !event.operations.empty()) return std::to_string(event.operations.size());
  if (name == "which")
    for (std::size_t i = 0; i < event.operations.size(); ++i)
      if (event.operations[i].state == "current") return std::to_string(i + 1);
  if (name == "trigger" && !event.trigger.spec.empty()) return printable(event.trigger.spec);
  return std::nullopt;
}

std::optional<std::string> brace_text(std::string_view inside, const Recording& recording, const Event& event, const Stage& stage,
                                      std::size_t key) {
  auto brace = brace_of(inside);
  if (const auto* fact = find_fact(event, stage, brace.name)) return text_of(*fact, brace);
  if (!brace.index)
    if (auto word = word_of(brace.name, recording, event, stage, key)) return word;
  for (const auto& argument : event.frames[key].arguments)
    if (argument.name == brace.name && argument.value && !brace.index) return printable(*argument.value);
  return std::nullopt;
}

bool fill_all(NoteText& text, const Context& c, std::size_t key) {
  for (auto* part : {&text.title, &text.sentence, &text.text}) {
    auto filled = fill(*part, c.recording, c.event, c.stage(), key);
    if (!filled) return false;
    *part = std::move(*filled);
  }
  // What could be told besides is left out if the record does not have it.
  text.otherwise = fill(text.otherwise, c.recording, c.event, c.stage(), key).value_or("");
  text.tell = fill(text.tell, c.recording, c.event, c.stage(), key).value_or("");
  return true;
}

}  // namespace

const Notes& Notes::built_in() {
  static const Notes notes = parse(embedded::notes(), "notes");
  return notes;
}

Notes Notes::before(const Notes& others) const {
  Notes out = *this;
  out.notes_.insert(out.notes_.end(), others.notes_.begin(), others.notes_.end());
  return out;
}

Notes Notes::parse(std::string_view text, const std::string& where) {
  Notes out;
  try {
    auto table = toml::parse(text, where);
    for (const auto& [key, node] : table)
      if (key != "note")
        throw Error(fmt::format("{}: {} is nothing that a catalogue of notes has", where, std::string(key.str())),
                    "Notes begin with [[note]].");
    if (const auto* list = table["note"].as_array())
      for (const auto& node : *list)
        if (const auto* note = node.as_table()) out.notes_.push_back(note_of(*note, where));
  } catch (const toml::parse_error& error) {
    std::ostringstream place;
    place << where << ": " << error.description() << " at " << error.source().begin;
    throw Error(place.str());
  }
  return out;
}

std::optional<std::string> fill(std::string_view text, const Recording& recording, const Event& event, const Stage& stage,
                                std::size_t key) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    auto end = text[i] == '{' ? text.find('}', i) : std::string_view::npos;
    if (end == std::string_view::npos) {
      out += text[i++];
      continue;
    }
    auto value = brace_text(text.substr(i + 1, end - i - 1), recording, event, stage, key);
    if (!value) return std::nullopt;
    out += *value;
    i = end + 1;
  }
  return out;
}

Told tell(const Notes& notes, const Recording& recording, const Event& event, const std::vector<Stage>& stages, std::size_t at,
          std::string_view language) {
  Context c{recording, event, stages, at};
  for (const auto& note : notes.all()) {
    std::size_t key = c.stage().key;
    if (!std::all_of(note.when.begin(), note.when.end(), [&](const Condition& when) { return holds(when, c, key); })) continue;
    NoteText text = language == "zh" && !note.zh.sentence.empty() ? note.zh : note.en;
    if (fill_all(text, c, key)) return {note.id, std::move(text), key};
  }
  return {{}, {}, c.stage().key};
}

}  // namespace callpath
