#include <fmt/format.h>

#include "record/record.hpp"
#include "record/text.hpp"

// To JSON: keys in a fixed order, so that equal records are equal bytes. Members that are empty are left out unless null says something.
namespace callpath {
namespace {

using Json = nlohmann::ordered_json;

std::string clean(const std::string& text) { return printable_utf8(text); }

Json list(const std::vector<std::string>& texts) {
  Json out = Json::array();
  for (const auto& text : texts) out.push_back(clean(text));
  return out;
}

template <class T, class Function>
Json list(const std::vector<T>& items, Function to_json) {
  Json out = Json::array();
  for (const auto& item : items) out.push_back(to_json(item));
  return out;
}

Json number_or_null(const std::optional<int>& n) { return n ? Json(*n) : Json(nullptr); }

void add_text(Json& to, const char* name, const std::string& text) {
  if (!text.empty()) to[name] = clean(text);
}

void add_number(Json& to, const char* name, const std::optional<int>& n) {
  if (n) to[name] = *n;
}

void add_hex(Json& to, const char* name, const std::optional<std::uint64_t>& n) {
  if (n) to[name] = fmt::format("{:#x}", *n);
}

template <class Place>
void add_positions(Json& to, const Place& place) {
  to["line"] = number_or_null(place.line);
  to["end_line"] = number_or_null(place.end_line);
  to["column"] = number_or_null(place.column);
  to["end_column"] = number_or_null(place.end_column);
}

Json source_json(const Source& source) {
  Json out{{"file", clean(source.file)}, {"line", number_or_null(source.line)}};
  if (source.excerpt) out["excerpt"] = {{"first", source.excerpt->first}, {"lines", list(source.excerpt->lines)}};
  return out;
}

Json value_json(const Value& value) {
  Json out{{"name", clean(value.name)}, {"type", clean(value.type)}};
  if (value.value)
    out["value"] = clean(*value.value);
  else
    out["reason"] = clean(value.reason.value_or("not known"));
  return out;
}

Json instruction_json(const Instruction& instruction) {
  Json out{{"offset", instruction.offset},
           {"opcode", clean(instruction.opcode)},
           {"specialized", clean(instruction.specialized)},
           {"arg", instruction.arg},
           {"argrepr", clean(instruction.argrepr)}};
  add_positions(out, instruction);
  return out;
}

Json code_json(const RawCode& code) {
  return {{"bytecode", base64(code.bytecode)}, {"line_table", base64(code.line_table)},         {"first_line", code.first_line},
          {"names", list(code.names)},         {"instruction_offset", code.instruction_offset}, {"hex_version", code.hex_version}};
}

Json python_json(const PythonPart& python) {
  Json out{{"qualname", clean(python.qualname)}};
  add_number(out, "first_line", python.first_line);
  if (python.instruction) out["instruction"] = instruction_json(*python.instruction);
  if (python.code) out["code"] = code_json(*python.code);
  return out;
}

Json frame_json(const Frame& frame) {
  Json out;
  add_number(out, "number", frame.number);
  out["kind"] = to_string(frame.kind);
  out["layer"] = to_string(frame.layer);
  out["name"] = clean(frame.name);
  out["full"] = clean(frame.full);
  add_number(out, "module", frame.module);
  if (frame.source) out["source"] = source_json(*frame.source);
  add_hex(out, "pc", frame.pc);
  add_hex(out, "offset", frame.offset);
  if (!frame.arguments.empty()) out["arguments"] = list(frame.arguments, value_json);
  if (!frame.locals.empty()) out["locals"] = list(frame.locals, value_json);
  if (frame.python) out["python"] = python_json(*frame.python);
  out["confidence"] = to_string(frame.confidence);
  if (frame.missing) out["missing"] = {{"what", clean(frame.missing->what)}, {"remedy", clean(frame.missing->remedy)}};
  add_text(out, "evidence", frame.evidence);
  return out;
}

Json operation_json(const Operation& operation) {
  Json out{{"offset", operation.offset}, {"opcode", clean(operation.opcode)}, {"argrepr", clean(operation.argrepr)}};
  add_positions(out, operation);
  out["mark_begin"] = number_or_null(operation.mark_begin);
  out["mark_end"] = number_or_null(operation.mark_end);
  out["state"] = operation.state;
  return out;
}

// Fact::value is free JSON: its texts are cleaned wherever they stand.
Json cleaned(const nlohmann::json& value) {
  if (value.is_string()) return clean(value.get<std::string>());
  if (value.is_array()) {
    Json out = Json::array();
    for (const auto& item : value) out.push_back(cleaned(item));
    return out;
  }
  if (value.is_object()) {
    Json out = Json::object();
    for (const auto& [key, item] : value.items()) out[clean(key)] = cleaned(item);
    return out;
  }
  return value;
}

Json fact_json(const Fact& fact) {
  Json out{{"name", clean(fact.name)}, {"value", cleaned(fact.value)}, {"text", clean(fact.text)}};
  add_text(out, "unit", fact.unit);
  out["frame"] = fact.frame;
  add_text(out, "how", fact.how);
  return out;
}

Json decision_json(const Decision& decision) {
  Json out{{"id", clean(decision.id)}, {"frame", decision.frame}};
  add_text(out, "label", decision.label);
  out["question"] = clean(decision.question);
  out["options"] = list(decision.options);
  out["taken"] = clean(decision.taken);
  out["facts"] = list(decision.facts);
  if (!decision.elsewhere.empty())
    out["elsewhere"] = list(decision.elsewhere, [](const Decision::Elsewhere& e) {
      return Json{{"option", clean(e.option)}, {"recording", clean(e.recording)}};
    });
  return out;
}

Json thread_json(const Thread& thread) {
  Json out{{"tid", thread.tid}, {"name", clean(thread.name)}, {"has_python", thread.has_python}};
  add_text(out, "note", thread.note);
  return out;
}

Json event_json(const Event& event) {
  Json out{{"trigger", {{"kind", clean(event.trigger.kind)}, {"spec", clean(event.trigger.spec)}}}};
  add_text(out["trigger"], "condition", event.trigger.condition);
  out["thread"] = thread_json(event.thread);
  out["complete"] = event.complete;
  add_text(out, "incomplete_reason", event.incomplete_reason);
  out["frames"] = list(event.frames, frame_json);
  out["operations"] = list(event.operations, operation_json);
  out["facts"] = list(event.facts, fact_json);
  out["decisions"] = list(event.decisions, decision_json);
  return out;
}

Json module_json(const RecordedModule& module) {
  Json out{
      {"name", clean(module.name)}, {"path", clean(module.path)}, {"build_id", clean(module.build_id)}, {"debug", clean(module.debug)}};
  add_text(out, "debug_file", module.debug_file);
  add_text(out, "advice", module.advice);
  return out;
}

Json target_json(const Target& target) {
  Json out{{"argv", list(target.argv)}, {"executable", clean(target.executable)}};
  out["python_version"] = clean(target.python_version);
  out["python_build"] = clean(target.python_build);
  out["cpu"] = clean(target.cpu);
  add_text(out, "capability", target.capability);
  add_text(out, "engine", target.engine);
  return out;
}

}  // namespace

std::string to_json_text(const Recording& recording) {
  const auto& producer = recording.producer;
  Json out{{"format", "callpath/1"},
           {"producer", {{"name", clean(producer.name)}, {"version", clean(producer.version)}, {"route", clean(producer.route)}}},
           {"target", target_json(recording.target)},
           {"modules", list(recording.modules, module_json)},
           {"events", list(recording.events, event_json)}};
  return out.dump(2) + "\n";
}

}  // namespace callpath
