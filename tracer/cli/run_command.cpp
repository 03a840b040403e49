// callpath run: start a program, stop at a probe, write down the path.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <filesystem>
#include <memory>

#include "annotate/annotate.hpp"
#include "cli/command.hpp"
#include "cli/complain.hpp"
#include "cli/places.hpp"
#include "core/error.hpp"
#include "session/session.hpp"
#include "session/watch_expression.hpp"
#include "views/line_overview.hpp"
#include "views/terminal.hpp"

extern char** environ;

namespace callpath::cli {
namespace {

namespace fs = std::filesystem;

struct Request {
  std::vector<std::string> at;
  std::string condition, watch, events, output, python;
  int limit = 0;  ///< 0: not given.
  bool quiet = false, statistics = false, from_start = false;
};

constexpr int default_events = 100;

constexpr const char* own_options =
    "--at, --if, --watch, --events, --from-start, --limit, -o, --python and --quiet stand before the script; "
    "what follows it is the script's.";

/// The first word is a script, or one of Python's own options; a long option
/// here is a mistyped one of ours.
void check_program(const std::vector<std::string>& program) {
  if (program.empty()) throw CLI::RequiredError("SCRIPT, or -m MODULE,");
  const auto& first = program.front();
  if (first.rfind("--", 0) == 0) throw CLI::ValidationError(fmt::format("unknown option {}", first), own_options);
  if (first[0] == '-') return;
  if (!fs::exists(first)) throw Error(fmt::format("there is no script {}", first), "Give the path of a Python script, or -m MODULE.");
}

constexpr std::size_t longest_name = NAME_MAX - 7;  ///< The temporary file beside it has seven letters more.

/// Better before the program has run for an hour than after.
void check_output(const std::string& output) {
  if (output.empty()) return;
  fs::path folder = fs::absolute(output).parent_path();
  std::error_code no_such;
  if (!fs::is_directory(folder, no_such))
    throw Error(fmt::format("{}: the folder {} is not there", output, folder.string()), "Make it, or give another place with -o.");
  auto there = fs::status(output, no_such);
  bool stream = fs::exists(there) && !fs::is_regular_file(there);  // A pipe or a device is written to where it stands.
  bool writable = access(stream ? output.c_str() : folder.c_str(), W_OK) == 0;
  if (!writable || fs::is_directory(there) || fs::path(output).filename().native().size() > longest_name)
    throw Error(fmt::format("{} cannot be written", output), "Give another place with -o.");
}

/// The user's environment, with our packages importable where the interpreter takes them.
std::vector<std::string> program_environment(const Places& places, bool with_packages) {
  std::vector<std::string> environment;
  if (!with_packages) {
    for (char** entry = environ; *entry; ++entry) environment.emplace_back(*entry);
    return environment;
  }
  for (char** entry = environ; *entry; ++entry)
    if (std::string(*entry).rfind("PYTHONPATH=", 0) != 0) environment.emplace_back(*entry);
  environment.push_back("PYTHONPATH=" + python_path(places));
  return environment;
}

void print_paths(const Recording& recording, const Request& request, bool no_color) {
  auto options = terminal_options_from_environment(no_color || !isatty(STDERR_FILENO));
  if (const auto overview = line_overview(recording, options); !overview.empty()) complain("\n{}", overview);
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    if (!request.output.empty() && i + 1 == recording.events.size()) options.wrote = {fmt::format("Wrote {}", request.output)};
    complain("\n{}", terminal(recording, i, options));
  }
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return WEXITSTATUS(status) ? fmt::format("ended with exit status {}", WEXITSTATUS(status)) : "ended";
}

/// What was asked for, for people: "the probe 'float_pow'", "the events 'class:Tensor'".
std::string wanted_text(const Request& request) {
  std::string text;
  for (const auto& at : request.at) text += fmt::format("{}'{}'", text.empty() ? "" : ", ", at);
  if (!text.empty()) text = (request.at.size() > 1 ? "the probes " : "the probe ") + text;
  if (request.events.empty()) return text;
  return fmt::format("{}{}the events '{}'", text, text.empty() ? "" : " and ", request.events);
}

/// Nothing was recorded: says why as far as that can be told.
void explain_missed(const Request& request, const session::Outcome& outcome) {
  const std::string wanted = wanted_text(request), ended = how_it_ended(outcome.status);
  if (outcome.places == 0) {
    if (!request.at.empty()) complain("callpath: nothing in the program matches {}; it {}\n", wanted, ended);
    if (!outcome.nearest.empty()) complain("  The nearest names:\n");
    for (const auto& name : outcome.nearest) complain("    {}\n", name);
  } else if (!outcome.watched.empty()) {
    complain("callpath: {} was reached and {} was watched ({}), but nothing touched it; the program {}\n", wanted, request.watch,
             outcome.watched, ended);
  } else if (!outcome.watch_unknown.empty()) {
    complain("callpath: {} was reached, but {} cannot be watched: {}\n", wanted, request.watch, outcome.watch_unknown);
  } else if (outcome.stops.target + outcome.stops.gate == 0) {
    complain("callpath: {} was set at {} place{}, but none was reached; the program {}\n", wanted, outcome.places,
             outcome.places == 1 ? "" : "s", ended);
  } else if (outcome.before_program) {
    complain("callpath: {} happened {} time{} while Python started and not after that; the program {}\n  --from-start records them.\n",
             wanted, outcome.before_program, outcome.before_program == 1 ? "" : "s", ended);
  } else if (!outcome.condition_unknown.empty()) {
    const auto what = request.condition.empty() ? std::string("what it is about") : fmt::format("the condition '{}'", request.condition);
    complain("callpath: {} was reached, but {} cannot be told there: {}\n", wanted, what, outcome.condition_unknown);
  } else {
    const auto what =
        request.condition.empty() ? "no event had that name" : fmt::format("the condition '{}' never held", request.condition);
    complain("callpath: {} was reached, but {}; the program {}\n", wanted, what, ended);
  }
  if (WIFSIGNALED(outcome.status) && WTERMSIG(outcome.status) == SIGTRAP)
    complain("  A thread with SIGTRAP blocked may have come to the probe: that ends a program. Unblock SIGTRAP in it.\n");
  for (const auto& refusal : outcome.refused) complain("  {}\n", refusal);
  for (const auto& path : outcome.without_debug)
    complain("  {} has no debug information: only names of its symbol table can match.\n", path);
}

/// Something of what was asked for can never be reached: said even if other things were.
void warn_of_missing(const Request& request, const session::Outcome& outcome) {
  for (const auto& missing : outcome.not_found) {
    const bool is_event = std::find(request.at.begin(), request.at.end(), missing) == request.at.end();
    if (missing.rfind("operators", 0) == 0 && is_event)
      complain("callpath: no library of the program tells of its operators, so that '{}' saw none (docs/operators.md)\n", missing);
    else if (is_event)
      complain(
          "callpath: the interpreter has no symbol for the events '{}': they are not seen. `callpath doctor` says which package brings "
          "it.\n",
          missing);
    else if (outcome.places)
      complain("callpath: nothing in the program matches the probe '{}'\n", missing);
  }
}

/// A line of Python is followed, everything else is a probe.
void take_places(const Request& request, const std::vector<std::string>& program, session::RunOptions& options) {
  options.script = program.front()[0] == '-' ? "" : program.front();
  for (const auto& at : request.at) {
    if (!session::LineSpec::parse(at, options.script)) {
      options.at.push_back(at);
    } else if (!options.line.empty()) {
      throw Error(fmt::format("{} and {} are two lines of Python: one can be followed in a run", options.line, at),
                  "Run it once for each.");
    } else {
      options.line = at;
    }
  }
  if (!options.line.empty() && options.at.empty() && !request.condition.empty())
    throw Error(fmt::format("--if asks about variables of C and C++: {} is a line of Python", options.line),
                "Leave --if out, or give a function with --at.");
}

/// Why the line has no event.
void explain_line(const Request& request, const session::Outcome& outcome) {
  const auto& line = *outcome.line;
  const auto wanted = wanted_text(request), ended = how_it_ended(outcome.status);
  if (!line.loaded)
    complain("callpath: {} was not reached: the program ran no code of that file; it {}\n", wanted, ended);
  else if (!line.ran)
    complain("callpath: {} was not reached: the line never ran; the program {}\n", wanted, ended);
  else
    complain("callpath: the line of {} ran, but nothing in it left the interpreter's own loop; the program {}\n", wanted, ended);
}

void run(const Request& request, const std::vector<std::string>& program, Context& context) {
  check_program(program);
  if (request.at.empty() && request.events.empty()) throw CLI::RequiredError("--at PROBE or --events KINDS");
  check_output(request.output);
  Places places = find_places(context);
  session::RunOptions options;
  const auto python = target_python_of_any_version(request.python);
  options.launch.executable = python.path;
  options.launch.argv = {options.launch.executable};
  options.launch.argv.insert(options.launch.argv.end(), program.begin(), program.end());
  options.launch.environment = program_environment(places, python.takes_our_modules);
  options.launch.agent = places.agent.string();
  take_places(request, program, options);
  options.condition = request.condition;
  options.watch = request.watch;
  if (!request.watch.empty()) {
    session::WatchExpression::parse(request.watch);
    if (options.at.empty())
      throw Error(fmt::format("--watch {} needs a function with --at, whose values say where that lies", request.watch),
                  "Give the function that is called with it: --at 'at::_ops::pow_Tensor_Scalar::call' --watch 'self[0,1]'.");
    if (!options.line.empty() || !request.events.empty())
      throw Error("--watch goes with functions alone, not with lines of Python or --events");
  }
  if (!request.events.empty()) options.events = session::parse_events(request.events);
  options.from_start = request.from_start;
  options.limit = request.limit ? request.limit : request.events.empty() ? 1 : default_events;
  Recording kept;
  options.on_recorded = [&](Recording& recording) {
    annotate(recording);
    if (!request.output.empty()) save(recording, request.output);
    kept = recording;
  };
  auto outcome = session::run(options);
  if (request.statistics)
    complain("callpath: stops: {} loader, {} gate, {} target; {} places\n", outcome.stops.loader, outcome.stops.gate, outcome.stops.target,
             outcome.places);
  if (!outcome.cut_short.empty()) complain("callpath: recording ended early, the program went on: {}\n", outcome.cut_short);
  warn_of_missing(request, outcome);
  if (outcome.events == 0) {
    if (outcome.line)
      explain_line(request, outcome);
    else
      explain_missed(request, outcome);
    context.exit_code = ExitCode::not_reached;
    return;
  }
  if (!request.quiet) print_paths(kept, request, context.no_color);
  if (WIFSIGNALED(outcome.status)) session::die_by(WTERMSIG(outcome.status));
  context.exit_code = session::exit_code_of(outcome.status);
}

}  // namespace

void register_run(CLI::App& app, Context& context) {
  auto request = std::make_shared<Request>();
  auto* command = app.add_subcommand("run", "Run a Python program and record the path to a place in native code");
  command->fallthrough(false);  // What follows the script is not looked at, by
                                // the main command neither.
  command->prefix_command();
  command->add_flag("--no-color", context.no_color, "No colours");
  command
      ->add_option(
          "--at", request->at,
          "Where to stop: a function, a glob of its name, FILE:LINE of C or C++, or FILE.py:LINE, which follows that line of Python into "
          "native code; may be given several times")
      ->allow_extra_args(false)
      ->type_name("PROBE");
  command
      ->add_option("--events", request->events,
                   "Events of Python itself: class, compile, import, audit; and operators, of libraries that tell of them "
                   "(docs/operators.md). Joined "
                   "by commas, each perhaps with a name: class:Tensor, 'operators:*pow*'")
      ->type_name("KINDS");
  command->add_flag("--from-start", request->from_start, "Events of Python's own start count too, before the program's first line");
  command->add_option("--if", request->condition, "Which stop counts: comparisons of variables, such as 'exp == 3'")
      ->type_name("CONDITION");
  command
      ->add_option(
          "--watch", request->watch,
          "After the first stop record who reads or writes a piece of memory instead: '*(float*)$rdi', or a tensor's element, 'self[0,1]'")
      ->type_name("EXPRESSION");
  command
      ->add_option("--limit", request->limit,
                   fmt::format("How many events to record before the program runs free (default: 1; {} with --events)", default_events))
      ->check(CLI::Range(1, 100000))
      ->type_name("N");
  command->add_option("-o,--output", request->output, "Where to write the record")->type_name("FILE");
  command->add_option("--python", request->python, "Interpreter (default: CALLPATH_PYTHON, or the build's)")->type_name("PATH");
  command->add_flag("--quiet", request->quiet, "Do not print the path");
  command->add_flag("--statistics", request->statistics, "Say how often the program was stopped");
  command->footer(
      "After the options comes the program, as for python itself: SCRIPT [ARGS], -m MODULE [ARGS] or -c CODE [ARGS].\n"
      "The program runs as itself: arguments, output and exit status are its "
      "own; the path is printed to standard error.\n"
      "Exit status: the program's own if something was recorded, 3 if the "
      "probe was not reached.\n\n"
      "Examples:\n"
      "  callpath run --at '*pow_tensor_scalar*}::operator()*' --if 'exp == 3' -o path.json learn1.py\n"
      "  callpath run --at learn1.py:12 learn1.py\n"
      "  callpath run --at 'at::_ops::pow_Tensor_Scalar::call' --watch 'self[0,1]' learn1.py\n"
      "  callpath run --events class:Tensor -o class.json learn1.py\n"
      "  callpath run --at float_pow -m timeit -n 1 -s 'a = 2.5' 'a ** 3.5'");
  command->callback([request, command, &context] { run(*request, command->remaining(), context); });
}

}  // namespace callpath::cli
