// Events of CPython itself that need no probe of the user's: class bodies run, code objects made, modules imported, audit events.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/memory.hpp"
#include "core/module.hpp"
#include "core/raw_stack.hpp"
#include "values/values.hpp"

namespace callpath::session {

/// The word by which a library tells of its operators: docs/operators.md.
constexpr const char* operator_hook_symbol = "callpath_operator_hook";

/// How one kind of event is seen: the C function that every such event passes, and where it keeps the event's name.
struct EventKind {
  const char* word;      ///< As the user writes it: "class".
  const char* trigger;   ///< As the record names it: "class-build".
  const char* function;  ///< Without clone suffixes. Of operators: the hook's symbol.
  bool is_operators() const { return function == operator_hook_symbol; }
};

/// One kind that the user asked for, perhaps of certain names only.
struct EventSpec {
  const EventKind* kind = nullptr;
  std::string name;  ///< A glob; empty: every name.

  /// "class", "class:Tensor".
  std::string text() const;
  bool wants(const std::string& event_name) const;
};

/// Kinds joined by commas, each perhaps with ":NAME": "class:Tensor,compile". Throws Error naming the word that is no kind.
std::vector<EventSpec> parse_events(const std::string& text);

/// What an event is about: the class, the code object, the module, the audit event.
struct EventName {
  std::string text;
  std::string how;  ///< From where it was read.
};

/// Reads the name at the first frame of a stop in the kind's function. Nothing, with the reason, if it cannot be read. For imports nothing
/// and no reason where the stop is another audit event.
std::optional<EventName> read_event_name(const EventKind&, Values&, const std::vector<Module>&, const Memory&, const RawFrame&,
                                         std::string* why_not);

}  // namespace callpath::session
