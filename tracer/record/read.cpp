#include <fmt/format.h>

#include "core/error.hpp"
#include "record/json_node.hpp"
#include "record/names.hpp"
#include "record/record.hpp"
#include "record/text.hpp"

// From JSON: the same rules as data/callpath-1.schema.json, and indices within their lists.
namespace callpath {
namespace {

constexpr std::size_t deepest_nesting = 64;

template <class Enum>
Enum word(const JsonNode& node, std::optional<Enum> (*from)(const std::string&)) {
  const auto found = from(node.text());
  if (!found) node.fail(fmt::format("\"{}\" is not one of the words allowed here", node.text()));
  return *found;
}

template <class T, class Function>
std::vector<T> read_list(const JsonNode& node, const std::string& name, Function read) {
  std::vector<T> out;
  for (const auto& item : node.list(name)) out.push_back(read(item));
  return out;
}

template <class Place>
void read_positions(const JsonNode& node, Place& place) {
  place.line = node.maybe_number("line");
  place.end_line = node.maybe_number("end_line");
  place.column = node.maybe_number("column");
  place.end_column = node.maybe_number("end_column");
}

Source read_source(const JsonNode& node) {
  Source source{node.text("file"), node.maybe_number("line"), std::nullopt};
  if (const auto excerpt = node.maybe("excerpt")) source.excerpt = Excerpt{excerpt->number("first"), excerpt->texts("lines")};
  return source;
}

Value read_value(const JsonNode& node) {
  Value value{node.text("name"), node.text_or_empty("type"), std::nullopt, std::nullopt};
  if (const auto text = node.maybe("value")) value.value = text->text();
  if (const auto reason = node.maybe("reason")) value.reason = reason->text();
  if (value.value.has_value() == value.reason.has_value()) node.fail("exactly one of \"value\" and \"reason\" is expected");
  return value;
}

Instruction read_instruction(const JsonNode& node) {
  Instruction instruction;
  instruction.offset = node.number("offset");
  instruction.opcode = node.text("opcode");
  instruction.specialized = node.text_or_empty("specialized");
  if (instruction.specialized.empty()) instruction.specialized = instruction.opcode;
  instruction.arg = node.number_or("arg", 0);
  instruction.argrepr = node.text_or_empty("argrepr");
  read_positions(node, instruction);
  return instruction;
}

RawCode read_code(const JsonNode& node) {
  RawCode code;
  code.bytecode = node.bytes("bytecode");
  code.line_table = node.bytes("line_table");
  code.first_line = node.number("first_line");
  code.names = node.texts("names");
  code.instruction_offset = node.number("instruction_offset");
  code.hex_version = static_cast<std::uint32_t>(node.member("hex_version").integer(0, UINT32_MAX));
  return code;
}

PythonPart read_python(const JsonNode& node) {
  PythonPart python;
  python.qualname = node.text("qualname");
  python.first_line = node.maybe_number("first_line");
  if (const auto instruction = node.maybe("instruction")) python.instruction = read_instruction(*instruction);
  if (const auto code = node.maybe("code")) python.code = read_code(*code);
  return python;
}

Frame read_frame(const JsonNode& node, std::size_t modules) {
  Frame frame;
  frame.number = node.maybe_number("number");
  frame.kind = word<Kind>(node.member("kind"), kind_from);
  if (const auto layer = node.maybe("layer")) frame.layer = word<Layer>(*layer, layer_from);
  frame.name = node.text("name");
  frame.full = node.text("full");
  if (const auto module = node.maybe("module")) {
    if (!modules) module->fail("there are no modules");
    frame.module = static_cast<int>(module->integer(0, static_cast<std::int64_t>(modules) - 1));
  }
  if (const auto source = node.maybe("source")) frame.source = read_source(*source);
  frame.pc = node.maybe_hex("pc");
  frame.offset = node.maybe_hex("offset");
  frame.arguments = read_list<Value>(node, "arguments", read_value);
  frame.locals = read_list<Value>(node, "locals", read_value);
  if (const auto python = node.maybe("python")) frame.python = read_python(*python);
  if (const auto confidence = node.maybe("confidence")) frame.confidence = word<Confidence>(*confidence, confidence_from);
  if (const auto missing = node.maybe("missing")) frame.missing = Missing{missing->text("what"), missing->text_or_empty("remedy")};
  frame.evidence = node.text_or_empty("evidence");
  return frame;
}

Operation read_operation(const JsonNode& node) {
  Operation operation;
  operation.offset = node.number("offset");
  operation.opcode = node.text("opcode");
  operation.argrepr = node.text_or_empty("argrepr");
  read_positions(node, operation);
  operation.mark_begin = node.maybe_number("mark_begin");
  operation.mark_end = node.maybe_number("mark_end");
  operation.state = node.text("state");
  if (operation.state != "returned" && operation.state != "current" && operation.state != "pending")
    node.member("state").fail("\"returned\", \"current\" or \"pending\" is expected");
  return operation;
}

int read_frame_index(const JsonNode& node, std::size_t frames) {
  if (!frames) node.fail("there are no frames");
  return static_cast<int>(node.integer(0, static_cast<std::int64_t>(frames) - 1));
}

Fact read_fact(const JsonNode& node, std::size_t frames) {
  Fact fact;
  fact.name = node.text("name");
  fact.value = node.member("value").json();
  fact.text = node.text("text");
  fact.unit = node.text_or_empty("unit");
  fact.frame = read_frame_index(node.member("frame"), frames);
  fact.how = node.text_or_empty("how");
  return fact;
}

Decision read_decision(const JsonNode& node, std::size_t frames) {
  Decision decision;
  decision.id = node.text("id");
  decision.frame = read_frame_index(node.member("frame"), frames);
  decision.label = node.text_or_empty("label");
  decision.question = node.text("question");
  decision.options = node.texts("options");
  decision.taken = node.text("taken");
  if (std::find(decision.options.begin(), decision.options.end(), decision.taken) == decision.options.end())
    node.member("taken").fail(fmt::format("\"{}\" is not among the options", decision.taken));
  decision.facts = node.texts("facts");
  decision.elsewhere = read_list<Decision::Elsewhere>(node, "elsewhere", [](const JsonNode& item) {
    return Decision::Elsewhere{item.text("option"), item.text("recording")};
  });
  return decision;
}

Thread read_thread(const JsonNode& node) {
  return {node.member("tid").integer(INT64_MIN, INT64_MAX), node.text_or_empty("name"), node.truth("has_python", false),
          node.text_or_empty("note")};
}

Event read_event(const JsonNode& node, std::size_t modules) {
  Event event;
  const auto trigger = node.member("trigger");
  event.trigger = {trigger.text("kind"), trigger.text_or_empty("spec"), trigger.text_or_empty("condition")};
  event.thread = read_thread(node.member("thread"));
  event.complete = node.truth("complete", false);
  event.incomplete_reason = node.text_or_empty("incomplete_reason");
  node.member("frames");
  event.frames = read_list<Frame>(node, "frames", [&](const JsonNode& item) { return read_frame(item, modules); });
  const std::size_t frames = event.frames.size();
  event.operations = read_list<Operation>(node, "operations", read_operation);
  event.facts = read_list<Fact>(node, "facts", [&](const JsonNode& item) { return read_fact(item, frames); });
  event.decisions = read_list<Decision>(node, "decisions", [&](const JsonNode& item) { return read_decision(item, frames); });
  return event;
}

RecordedModule read_module(const JsonNode& node) {
  RecordedModule module{node.text("name"),
                        node.text("path"),
                        node.text_or_empty("build_id"),
                        node.text_or_empty("debug"),
                        node.text_or_empty("debug_file"),
                        node.text_or_empty("advice")};
  if (module.debug.empty()) module.debug = "none";
  if (module.debug != "full" && module.debug != "symbols" && module.debug != "dynamic" && module.debug != "none")
    node.member("debug").fail("\"full\", \"symbols\", \"dynamic\" or \"none\" is expected");
  return module;
}

Target read_target(const JsonNode& node) {
  return {
      node.texts("argv"),        node.text_or_empty("executable"), node.text_or_empty("python_version"), node.text_or_empty("python_build"),
      node.text_or_empty("cpu"), node.text_or_empty("capability"), node.text_or_empty("engine")};
}

Producer read_producer(const JsonNode& node) { return {node.text("name"), node.text_or_empty("version"), node.text_or_empty("route")}; }

/// Turns each event into its form in memory as soon as its text ends, and lets go of its JSON: a large record needs little more than its
/// text. Only where the format and the modules stand before the events, as they are written; else the events stay in the JSON for later.
class EventsReader {
 public:
  EventsReader(std::string where, std::vector<Event>& events) : where_(std::move(where)), events_(events) {}

  bool operator()(int depth, nlohmann::json::parse_event_t what, nlohmann::json& parsed) {
    using What = nlohmann::json::parse_event_t;
    if (depth == 1 && what == What::key) key_ = parsed.get<std::string>();
    if (depth == 1 && what == What::value && key_ == "format") known_ = parsed == "callpath/1";
    if (depth == 1 && what == What::array_end && key_ == "modules") modules_ = parsed.size();
    if (depth != 2 || what != What::object_end || key_ != "events" || !known_ || !modules_) return true;
    events_.push_back(read_event(JsonNode(parsed, where_, fmt::format("/events/{}", events_.size())), *modules_));
    return false;
  }

 private:
  std::string where_, key_;
  std::vector<Event>& events_;
  bool known_ = false;
  std::optional<std::size_t> modules_;
};

nlohmann::json parse(const std::string& text, const std::string& where, std::vector<Event>& events) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw Error(fmt::format("{}: the file is empty", where), "Record again: callpath run --at PROBE -o FILE SCRIPT");
  const PreparedJson prepared = prepare_json(text);
  if (prepared.depth > deepest_nesting)
    throw Error(fmt::format("{}: not a callpath record: lists are nested {} deep", where, prepared.depth));
  try {
    return nlohmann::json::parse(prepared.text, EventsReader(where, events));
  } catch (const nlohmann::json::parse_error& error) {
    // nlohmann counts bytes from 1 and names the byte after the last one at the end of input.
    const std::size_t byte = prepared.original_offset(error.byte ? error.byte - 1 : 0);
    if (byte >= text.size())
      throw Error(fmt::format("{}: the text ends in the middle, after {} bytes: it was cut off", where, text.size()), "Record again.");
    throw Error(fmt::format("{}: not JSON: byte {} cannot stand there", where, byte), "A record begins with {\"format\": \"callpath/1\"}.");
  }
}

void check_format(const JsonNode& top) {
  const nlohmann::json& json = top.json();
  const auto format = json.is_object() ? json.find("format") : json.end();
  if (!json.is_object() || format == json.end() || !format->is_string() || format->get<std::string>().rfind("callpath/", 0) != 0)
    top.fail("this is JSON, but not a callpath record: \"format\": \"callpath/1\" is missing");
  if (*format != "callpath/1")
    top.member("format").fail(fmt::format("the format {} is not known to this version, which reads callpath/1", format->dump()));
}

}  // namespace

Recording from_json_text(const std::string& text, const std::string& where) {
  Recording recording;
  const nlohmann::json json = parse(text, where, recording.events);
  const JsonNode top(json, where, "");
  check_format(top);
  recording.producer = read_producer(top.member("producer"));
  recording.target = read_target(top.member("target"));
  recording.modules = read_list<RecordedModule>(top, "modules", read_module);
  top.member("events");
  for (const auto& item : top.list("events")) recording.events.push_back(read_event(item, recording.modules.size()));
  return recording;
}

}  // namespace callpath
