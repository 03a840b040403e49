#include "session/event_kinds.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "python/frames.hpp"

namespace callpath::session {
namespace {

// An import that finds nothing in sys.modules raises the audit event "import" in import_find_and_load, which optimised builds inline: the
// audit function is a function of its own in every build.
constexpr std::array kinds{
    EventKind{"class", "class-build", "builtin___build_class__"},
    EventKind{"compile", "compile", "_PyCode_New"},
    EventKind{"import", "import", "sys_audit_tstate"},
    EventKind{"audit", "audit", "sys_audit_tstate"},
    EventKind{"operators", "operator", operator_hook_symbol},
};

std::string all_kinds() {
  std::string text;
  for (const auto& kind : kinds) text += (text.empty() ? "" : ", ") + std::string(kind.word);
  return text;
}

EventSpec parse_one(const std::string& text) {
  const auto colon = text.find(':');
  const std::string word = text.substr(0, colon);
  const auto* kind = std::find_if(kinds.begin(), kinds.end(), [&](const EventKind& k) { return word == k.word; });
  if (kind == kinds.end())
    throw Error(fmt::format("'{}' is no kind of event", word),
                fmt::format("The kinds are {}; each may be followed by a name: class:Tensor.", all_kinds()));
  if (colon == std::string::npos) return {kind, {}};
  if (colon + 1 == text.size()) throw Error(fmt::format("the name after '{}' is empty", text), "Give a name or a glob: class:Tensor.");
  return {kind, text.substr(colon + 1)};
}

/// Where names are read, at one stop.
struct Stop {
  Values& values;
  const std::vector<Module>& modules;
  const Memory& memory;
  const RawFrame& frame;
  std::string* why_not;

  std::optional<Evaluated> evaluate(const std::string& path) const {
    const Module* module = find_module(modules, frame.lookup());
    return module ? values.evaluate(*module, frame, 0, path, why_not) : std::nullopt;
  }
  std::optional<Address> pointer(const std::string& path) const {
    const auto found = evaluate(path);
    return found && found->bits ? std::optional<Address>(Address{*found->bits}) : std::nullopt;
  }
  std::optional<std::string> python_text(Address object) const {
    const auto interpreter = find_interpreter(modules, memory);
    auto text = interpreter ? read_python_text(*interpreter, memory, object) : std::nullopt;
    if (!text) *why_not = fmt::format("there is no str at {:#x}", object.value);
    return text;
  }
  std::optional<EventName> python_name(const std::string& path) const {
    const auto object = pointer(path);
    const auto text = object ? python_text(*object) : std::nullopt;
    return text ? std::optional<EventName>({*text, "argument " + path}) : std::nullopt;
  }
};

std::optional<std::string> c_text(const Memory& memory, Address at) {
  constexpr std::size_t longest = 256;
  std::string text;
  for (; text.size() < longest; ++at.value) {
    const auto c = memory.get<char>(at);
    if (!c) return std::nullopt;
    if (!*c) break;
    text += *c;
  }
  return text;
}

std::optional<EventName> audit_name(const Stop& stop) {
  const auto at = stop.pointer("event");
  const auto text = at ? c_text(stop.memory, *at) : std::nullopt;
  return text ? std::optional<EventName>({*text, "argument event"}) : std::nullopt;
}

// The arguments of the audit event lie where va_arg takes them from: the first is the module's name.
std::optional<EventName> import_name(const Stop& stop) {
  const auto event = audit_name(stop);
  if (!event || event->text != "import") return std::nullopt;
  const auto list = stop.pointer("vargs");
  const auto used = list ? stop.memory.get<std::uint32_t>(*list) : std::nullopt;
  const auto saved = list ? stop.memory.pointer(*list + 16) : std::nullopt;
  const auto object = used && saved ? stop.memory.pointer(*saved + *used) : std::nullopt;
  if (!object) return std::nullopt;
  const auto text = stop.python_text(*object);
  return text ? std::optional<EventName>({*text, "first of the audit event's arguments"}) : std::nullopt;
}

}  // namespace

std::string EventSpec::text() const { return name.empty() ? kind->word : fmt::format("{}:{}", kind->word, name); }

bool EventSpec::wants(const std::string& event_name) const { return name.empty() || fnmatch(name.c_str(), event_name.c_str(), 0) == 0; }

std::vector<EventSpec> parse_events(const std::string& text) {
  std::vector<EventSpec> specs;
  for (std::size_t from = 0; from <= text.size();) {
    const auto comma = std::min(text.find(',', from), text.size());
    specs.push_back(parse_one(text.substr(from, comma - from)));
    from = comma + 1;
  }
  return specs;
}

std::optional<EventName> read_event_name(const EventKind& kind, Values& values, const std::vector<Module>& modules, const Memory& memory,
                                         const RawFrame& frame, std::string* why_not) {
  const Stop stop{values, modules, memory, frame, why_not};
  const std::string word = kind.word;
  if (word == "class") return stop.python_name("args[1]");
  if (word == "compile") return stop.python_name("con.name");
  return word == "import" ? import_name(stop) : audit_name(stop);
}

}  // namespace callpath::session
