// `callpath run`: starts the program, stops at the probes, records, and lets it go on.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "record/record.hpp"
#include "session/event_kinds.hpp"
#include "session/launch.hpp"
#include "session/line_trace.hpp"

namespace callpath::session {

/// A program that runs already and loads the agent by itself (callpath_agent_attach), with this process as its child.
struct Attachment {
  pid_t pid = 0;
  std::function<void(int descriptor)> on_memory;         ///< The shared memory is there: its descriptor.
  std::function<void(const struct Outcome&)> on_probes;  ///< Probes are set; the program is about to go on.
};

struct RunOptions {
  Launch launch;
  std::optional<Attachment> attach;  ///< Instead of `launch`, of which nothing is used.
  std::vector<std::string> at;       ///< Functions by name or glob, or FILE:LINE of C or C++.
  std::string line;                  ///< FILE:LINE of Python; may be empty.
  std::string watch;                 ///< Of WatchExpression::parse: what is recorded is who touches it after the first hit; may be empty.
  std::string script;                ///< The program's, as it was given; may be empty.
  std::string condition;             ///< For every `at`: of Condition::parse; empty: every hit counts.
  std::vector<EventSpec> events;     ///< Events of CPython itself.
  bool from_start = false;           ///< Those of the interpreter's own start too, before the program begins.
  int limit = 1;                     ///< Events to record before the program runs free; of a line of Python, executions.
  /// Called once, when the last wanted event was recorded (the program runs on meanwhile) or the program ended, if there is any event.
  std::function<void(Recording&)> on_recorded;
};

/// How often the program was stopped, and why.
struct Statistics {
  int loader = 0;  ///< The loader's list of libraries changed.
  int gate = 0;    ///< A function around a lambda was entered, to ask the condition there.
  int target = 0;  ///< The probe itself.
};

struct Outcome {
  std::optional<LineOutcome> line;  ///< If a line of Python was asked for.
  int status = 0;                   ///< The program's, as waitpid gives it.
  int events = 0;
  Statistics stops;
  std::string cut_short;                   ///< If recording ended early, after the events that there are: why.
  int before_program = 0;                  ///< Events of the interpreter's own start, which were passed over.
  std::size_t places = 0;                  ///< Where probes were set.
  std::vector<std::string> refused;        ///< Why none was set at other places that matched.
  std::vector<std::string> not_found;      ///< What was asked for and is nowhere in the program.
  std::string watched;                     ///< With a watch: what was watched, "float32 at 0x7f...", if it could be told.
  std::string watch_unknown;               ///< Else why not.
  std::string condition_unknown;           ///< If the condition could not be told at a hit: why.
  std::vector<std::string> nearest;        ///< If nothing matched: names most like the pattern.
  std::vector<std::string> without_debug;  ///< Files of the program that have no debug information.
};

/// Runs the program to its end. Throws Error if it cannot be started or the probes cannot be set, in the latter case after it has ended by
/// itself (or before it began).
Outcome run(const RunOptions&);

}  // namespace callpath::session
