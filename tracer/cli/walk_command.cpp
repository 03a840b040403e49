#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "annotate/compare.hpp"
#include "cli/command.hpp"
#include "cli/complain.hpp"
#include "cli/process.hpp"
#include "cli/walk_routes.hpp"
#include "core/error.hpp"
#include "record/write_file.hpp"
#include "views/diff.hpp"
#include "views/html.hpp"
#include "views/terminal.hpp"

namespace fs = std::filesystem;

namespace callpath::cli {
namespace {

struct Options {
  std::string number, route = "both", line, variant, python, language = "en";
  fs::path out = ".";
  int width = 0;
  bool full = false, by_hand = false, variants = false, quiet = false;
};

volatile std::sig_atomic_t interrupted = 0;

/// Ctrl+C reaches the routes as well, being in our group; we wait for their end, tidy up and say so.
void wait_through_interrupts() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

std::vector<Route::Kind> kinds(const std::string& route) {
  if (route == "process") return {Route::Kind::process};
  if (route == "gdb") return {Route::Kind::gdb};
  return {Route::Kind::process, Route::Kind::gdb};
}

std::vector<std::string> lacking_for(const std::vector<Route::Kind>& routes, const Walkthrough& walk, const Places& places,
                                     const std::string& python) {
  std::vector<std::string> all;
  for (const auto kind : routes)
    for (const auto& what : lacking(kind, walk, places, python))
      if (std::find(all.begin(), all.end(), what) == all.end()) all.push_back(what);
  return all;
}

// --- the list
// ---------------------------------------------------------------------------------------------------------------------------------

void print_list(const Places& places, const std::string& chosen_python) {
  const auto python = target_python(chosen_python);
  fmt::print("Walkthroughs\n\n");
  for (const auto& walk : read_walkthroughs(places.walkthroughs)) {
    fmt::print("  {}  {}\n      {}\n", walk.number, walk.title, walk.asks);
    const auto missing = lacking_for(kinds("both"), walk, places, python);
    if (missing.empty()) fmt::print("      Everything it needs is here: callpath walk {}\n", walk.number);
    for (const auto& what : missing) fmt::print("      Missing: {}\n", what);
  }
}

void print_variants(const Walkthrough& walk) {
  fmt::print("{}  {}: other outcomes\n\n", walk.number, walk.title);
  for (const auto& variant : walk.variants) {
    fmt::print("  {:<12} {}\n", variant.name, variant.title);
    if (!variant.line.empty()) fmt::print("  {:<12} {}\n", "", variant.line);
    for (const auto& [name, value] : variant.environment) fmt::print("  {:<12} {}={}\n", "", name, value);
  }
  fmt::print("\n  callpath walk {} --variant {}\n", walk.number, walk.variants.empty() ? "NAME" : walk.variants.front().name);
}

// --- before running
// ---------------------------------------------------------------------------------------------------------------------------

/// By trying: permission bits say little to root and on read-only file systems. A folder that is not there is made.
void check_writable(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (!fs::is_directory(folder))
    throw Error(fmt::format("the folder {} cannot be made: {}", folder.string(), failed ? failed.message() : "something else has its name"),
                "Choose another: --out DIR");
  auto name = (folder / ".callpath.XXXXXX").string();
  const int descriptor = mkstemp(name.data());
  if (descriptor < 0)
    throw Error(fmt::format("cannot write to the folder {}: {}", folder.string(), std::strerror(errno)), "Choose another: --out DIR");
  close(descriptor);
  unlink(name.c_str());
}

void check_needs(const Options& options, const Walkthrough& walk, const Places& places, const std::string& python) {
  const auto missing = lacking_for(kinds(options.route), walk, places, python);
  if (missing.empty()) return;
  const bool process_can = options.route == "both" && lacking(Route::Kind::process, walk, places, python).empty();
  throw Error(fmt::format("walkthrough {} cannot run here: {}", walk.number, fmt::join(missing, "; ")),
              process_can ? fmt::format("Without it: callpath walk {} --route process", walk.number)
                          : "callpath doctor says what else is missing.");
}

/// Better now, in one line, than as a traceback from each route.
void check_syntax(const std::string& line, const std::string& python) {
  static const char* const compile_it =
      "import sys\n"
      "try: compile(sys.argv[1], '--line', 'exec')\n"
      "except SyntaxError as error: sys.exit(f'{error.msg}, column {error.offset}')\n";
  const auto answer = run_captured({python, "-I", "-c", compile_it, line});
  if (answer.status == 0) return;
  const auto said = answer.errors.substr(0, answer.errors.find('\n'));
  throw Error(fmt::format("--line is not Python: {}\n    {}", said, line), "callpath walk 01 --line 'X[:, 1]**2.5'");
}

Itinerary plan(const Options& options, const Walkthrough& walk, const Places& places, const fs::path& scratch) {
  Itinerary trip{&walk, places, target_python(options.python), walk.program, walk.condition, {}};
  std::string line;
  if (!options.variant.empty()) {
    const auto& variant = find_variant(walk, options.variant);
    line = variant.line;
    if (variant.condition) trip.condition = *variant.condition;
    trip.environment = variant.environment;
  }
  if (!options.line.empty()) {
    line = line_for(options.line, walk.line_prefix);
    check_syntax(line, trip.python);
    trip.condition = condition_for(options.line);
  }
  if (!line.empty()) trip.program = program_with_line(walk, line, scratch);
  return trip;
}

// --- running
// ----------------------------------------------------------------------------------------------------------------------------------

struct Taken {
  std::vector<Route::Result> results;  ///< In the order of `names`.
  std::vector<std::string> names;
};

/// All routes at once: each is mostly one busy thread.
Taken take(const std::vector<Route::Kind>& routes, const Itinerary& trip, const fs::path& scratch) {
  std::vector<std::unique_ptr<Route>> under_way;
  for (const auto kind : routes) under_way.push_back(std::make_unique<Route>(kind, trip, scratch));
  Taken taken;
  for (const auto& route : under_way) {
    taken.results.push_back(route->wait());
    taken.names.push_back(route->name());
  }
  return taken;
}

/// The program's own output, once, where it does not mix with ours.
void show_output(const Taken& taken) {
  const auto& printed = taken.results.front().printed;
  if (!printed.empty()) complain("{}{}", printed, printed.back() == '\n' ? "" : "\n");
}

/// Says why a route has no record; the exit code, or 0 if all have one.
int explain_failures(const Taken& taken, const Walkthrough& walk) {
  int code = ok;
  for (std::size_t i = 0; i < taken.results.size(); ++i) {
    const auto& result = taken.results[i];
    if (result.recording && !result.recording->events.empty()) continue;
    const bool missed = result.status == not_reached;
    complain("callpath: walkthrough {}, {} route: {}\n", walk.number, taken.names[i],
             missed                ? "the program did not reach the stop"
             : result.status > 128 ? fmt::format("ended by signal {}", result.status - 128)
                                   : fmt::format("ended with status {}", result.status));
    complain("{}", result.said);
    if (code == ok || !missed) code = missed ? not_reached : failed;
  }
  return code;
}

// --- telling
// ----------------------------------------------------------------------------------------------------------------------------------

TerminalOptions terminal_options(const Options& options, const Context& context, const Walkthrough& walk) {
  auto form = terminal_options_from_environment(context.no_color);
  if (options.width) form.width = options.width;
  form.full = options.full;
  form.by_hand = options.by_hand;
  form.by_hand_stages = walk.hand_commands;
  form.language = options.language;
  form.title = fmt::format("{}  {}", walk.number, walk.title);
  return form;
}

/// What is not the walkthrough's own line never overwrites its report.
std::string stem(const Options& options, const Walkthrough& walk) {
  if (!options.line.empty()) return walk.name() + "-line";
  return options.variant.empty() ? walk.name() : fmt::format("{}-{}", walk.name(), options.variant);
}

std::vector<Difference> differences_between(const Taken& taken) {
  const auto &a = *taken.results[0].recording, &b = *taken.results[1].recording;
  return compare_paths(a.events[0], a, b.events[0], b);
}

void tell_difference(const Options& options, const TerminalOptions& form, const Taken& taken, const Walkthrough& walk,
                     const std::vector<Difference>& differences) {
  const auto base = options.out / stem(options, walk);
  std::vector<std::string> wrote;
  for (std::size_t i = 0; i < taken.results.size(); ++i) {
    wrote.push_back(fmt::format("{}-{}.json", base.string(), taken.names[i]));
    save(*taken.results[i].recording, wrote.back());
  }
  fmt::print("{}", diff(*taken.results[0].recording, 0, *taken.results[1].recording, 0, form));
  for (const auto& difference : differences) fmt::print("  {}\n", difference.text);
  std::fflush(stdout);
  complain("callpath: the two routes tell different paths.\n  Both records are kept: callpath diff {} {}\n", wrote[0], wrote[1]);
}

void tell(const Options& options, TerminalOptions form, const Recording& recording, bool both, const Walkthrough& walk) {
  const auto base = (options.out / stem(options, walk)).lexically_normal().string();
  HtmlOptions page;
  page.language = options.language;
  page.title = form.title;
  page.by_hand_stages = walk.hand_commands;
  if (both) form.verdict = page.verdict = "The same path by both routes";
  const auto text = html(recording, page);
  save(recording, base + ".json");
  write_file(base + ".html", text);
  form.hints = {
      fmt::format("Every frame: --full     In plain gdb: --by-hand     Other outcomes: callpath walk {} --variants", walk.number)};
  form.wrote = {fmt::format("Wrote {0}.html and {0}.json", base)};
  fmt::print("{}", terminal(recording, 0, form));
}

void tell_by_hand(const Walkthrough& walk, const Places& places, const std::string& python) {
  fmt::print("\n  To stand at this stop in plain gdb, with nothing of ours:\n\n    PYTHONPATH='{}' gdb -nx -x '{}' --args {} '{}'\n",
             places.packages.string(), walk.by_hand.string(), python, walk.program.string());
}

int walk_one(const Options& options, const Context& context) {
  const auto places = find_places(context);
  const auto all = read_walkthroughs(places.walkthroughs);
  const auto& walk = find_walkthrough(all, options.number);
  if (options.variants) return print_variants(walk), ok;
  check_writable(options.out);
  const TemporaryFolder scratch;
  const auto trip = plan(options, walk, places, scratch.path());
  check_needs(options, walk, places, trip.python);
  wait_through_interrupts();
  const auto taken = take(kinds(options.route), trip, scratch.path());
  if (interrupted) throw Error("interrupted; nothing was written");
  show_output(taken);
  if (const int code = explain_failures(taken, walk)) return code;
  const auto form = terminal_options(options, context, walk);
  const auto& first = *taken.results[0].recording;
  const bool both = taken.results.size() == 2;
  if (const auto differences = both ? differences_between(taken) : std::vector<Difference>{}; !differences.empty()) {
    tell_difference(options, form, taken, walk, differences);
    return differ;
  }
  tell(options, form, first, both, walk);
  if (options.by_hand) tell_by_hand(walk, places, trip.python);
  return ok;
}

}  // namespace

void register_walk(CLI::App& app, Context& context) {
  static Options options;
  auto* command = app.add_subcommand("walk", "Take a walkthrough and write its report; without a number: the list");
  command->add_option("NN", options.number, "Its number, such as 01");
  command->add_option("--route", options.route, "How to observe: in the process, under gdb, or both and compare")
      ->check(CLI::IsMember({"process", "gdb", "both"}))
      ->capture_default_str();
  command->add_flag("--full", options.full, "Every frame");
  command->add_flag("--by-hand", options.by_hand, "The plain gdb commands that show the same");
  command->add_option("--line", options.line, "Your own expression instead of the walkthrough's line")->type_name("CODE");
  command->add_flag("--variants", options.variants, "List the other outcomes this walkthrough knows");
  command->add_option("--variant", options.variant, "Take one of them")->type_name("NAME");
  command->add_option("--out", options.out, "Folder for the record and the page")->type_name("DIR")->capture_default_str();
  command->add_option("--python", options.python, "Interpreter to trace (default: the one of the build, or CALLPATH_PYTHON)")
      ->type_name("PATH");
  command->add_option("--lang", options.language, "Language of the notes")->check(CLI::IsMember({"en", "zh"}))->capture_default_str();
  command->add_option("--width", options.width, "Columns (default: the terminal's; 100 when piped)")->check(CLI::Range(40, 120));
  command->footer(
      "Exit status: 0 done; 1 an error that was explained; 2 wrong command line; 3 the stop was not reached; 4 the two routes differ.\n\n"
      "Examples:\n  callpath walk\n  callpath walk 01\n  callpath walk 01 --route process --line 'X[:, 1]**2.5'\n");
  command->callback([&context, command] {
    if (!options.line.empty() && !options.variant.empty()) throw Error("--line and --variant exclude each other");
    if (command->count("--line") && options.line.empty()) throw Error("--line is empty", "callpath walk 01 --line 'X[:, 1]**2.5'");
    if (options.number.empty())
      print_list(find_places(context), options.python);
    else
      context.exit_code = walk_one(options, context);
  });
}

}  // namespace callpath::cli
