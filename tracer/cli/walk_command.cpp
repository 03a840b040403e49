#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <sstream>

#include "annotate/compare.hpp"
#include "cli/command.hpp"
#include "cli/complain.hpp"
#include "cli/process.hpp"
#include "cli/walk_all.hpp"
#include "cli/walk_list.hpp"
#include "cli/walk_write.hpp"
#include "core/error.hpp"
#include "views/diff.hpp"
#include "views/terminal.hpp"

namespace fs = std::filesystem;

namespace callpath::cli {
namespace {

struct Options {
  std::string number, route = "both", line, variant, python, language = "en";
  fs::path out = ".";
  int width = 0;
  bool full = false, by_hand = false, variants = false, answers = false;
};

constexpr const char* every = "all";

/// Of which variant the report is: with "all" that of none.
std::string own_variant(const Options& options) { return options.variant == every ? "" : options.variant; }

// --- before running
// ---------------------------------------------------------------------------------------------------------------------------

void check_needs(const Options& options, const Trip& trip) {
  const auto& walk = *trip.walk;
  const auto missing = lacking_for(routes_of(trip, options.route), walk, trip.places, trip.python);
  if (missing.empty()) return;
  const bool process_can = options.route == "both" && lacking(Route::Kind::process, walk, trip.places, trip.python).empty();
  throw Error(fmt::format("walkthrough {} cannot run here: {}", walk.number, fmt::join(missing, "; ")),
              process_can ? fmt::format("Without it: callpath walk {} --route process", walk.number)
                          : "callpath doctor says what else is missing.");
}

// --- running
// ----------------------------------------------------------------------------------------------------------------------------------

/// The program's own output, once, where it does not mix with ours. What a terminal showed is the stop itself.
void show_output(const Taken& taken, const Setting& setting) {
  if (setting.terminal) return;
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
  form.title = title_of(walk, own_variant(options), options.language);
  return form;
}

/// What is not the walkthrough's own line never overwrites its report.
std::string stem(const Options& options, const Walkthrough& walk) {
  return options.line.empty() ? stem_of(walk, own_variant(options)) : walk.name() + "-line";
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
  if (both) form.verdict = options.language == "zh" ? "两条途径得到同一条路径" : "The same path by both routes";
  const auto base = write_pages(recording, walk, form.title, form.verdict, options.language, options.out, stem(options, walk));
  const bool zh = options.language == "zh";
  form.hints = {
      zh ? fmt::format("每一帧：--full     用普通的 gdb：--by-hand     其他结果：callpath walk {} --variants", walk.number)
         : fmt::format("Every frame: --full     In plain gdb: --by-hand     Other outcomes: callpath walk {} --variants", walk.number)};
  form.wrote = {zh ? fmt::format("已写入 {0}.html 和 {0}.json", base) : fmt::format("Wrote {0}.html and {0}.json", base)};
  fmt::print("{}", terminal(recording, 0, form));
}

void tell_by_hand(const Walkthrough& walk, const Places& places, const std::string& python) {
  fmt::print("\n  To stand at this stop in plain gdb, with nothing of ours:\n\n    PYTHONPATH='{}' gdb -nx -x '{}' --args {} '{}'\n",
             places.packages.string(), walk.by_hand.string(), python, walk.setting.program.string());
}

/// The program whose output is shown beside the path. Its failure is the walk's.
int tell_beside(const Trip& trip, const std::string& language) {
  const auto& beside = *trip.walk->beside;
  const auto said = run_captured({trip.python, beside.program.string()}, {{"PYTHONPATH", python_path(trip.places)}});
  fmt::print("\n  {}\n\n", beside.title.in(language));
  std::istringstream lines(said.output);
  for (std::string line; std::getline(lines, line);) fmt::print("    {}\n", line);
  if (said.status == 0) return ok;
  std::fflush(stdout);
  complain("callpath: {} ended with status {}\n{}", beside.program.string(), said.status, said.errors);
  return failed;
}

/// The pages of every other outcome; the walkthrough's own recording learns where else its decisions went.
void write_variants(const Options& options, const Trip& trip, Recording& own) {
  const auto& walk = *trip.walk;
  auto recordings = take_variants(walk, trip.places, trip.python);
  recordings[stem_of(walk, {})] = own;
  link(recordings);
  own = recordings.at(stem_of(walk, {}));
  for (const auto& variant : walk.variants)
    if (const auto found = recordings.find(stem_of(walk, variant.name)); found != recordings.end())
      write_pages(found->second, walk, title_of(walk, variant.name, options.language), {}, options.language, options.out, found->first);
}

/// That the stop is never reached can be what the lesson says.
int tell_never(const Taken& taken, const Walkthrough& walk) {
  for (const auto& result : taken.results)
    if (result.status != not_reached) return explain_failures(taken, walk);
  fmt::print("The program ran to its end and never came to the stop. That is what this variant shows.\n");
  return ok;
}

int walk_one(const Options& options, const Context& context) {
  const auto places = find_places(context);
  const auto all = read_walkthroughs(places.walkthroughs);
  const auto& walk = find_walkthrough(all, options.number);
  if (options.variants) return print_variants(walk, options.language), ok;
  const Trip trip{&walk, places, target_python(options.python), own_variant(options), options.line};
  check_writable(options.out);
  check_needs(options, trip);
  wait_through_interrupts();
  auto taken = take(trip, routes_of(trip, options.route));
  show_output(taken, setting_of(trip));
  if (!trip.variant.empty() && find_variant(walk, trip.variant).setting.stop.never) return tell_never(taken, walk);
  if (const int code = explain_failures(taken, walk)) return code;
  const auto form = terminal_options(options, context, walk);
  const bool both = taken.results.size() == 2;
  if (const auto differences = both ? differences_between(taken) : std::vector<Difference>{}; !differences.empty()) {
    tell_difference(options, form, taken, walk, differences);
    return differ;
  }
  auto& own = *taken.results[0].recording;
  if (options.variant == every) write_variants(options, trip, own);
  tell(options, form, own, both, walk);
  if (options.by_hand) tell_by_hand(walk, places, trip.python);
  return walk.beside ? tell_beside(trip, options.language) : ok;
}

}  // namespace

void register_walk(CLI::App& app, Context& context) {
  static Options options;
  auto* command = app.add_subcommand("walk", "Take a walkthrough and write its report; without a number: the list");
  command->add_option("NN", options.number, "Its number, such as 01; or all, which writes every report and an index page");
  command->add_option("--route", options.route, "How to observe: in the process, under gdb, or both and compare")
      ->check(CLI::IsMember({"process", "gdb", "both"}))
      ->capture_default_str();
  command->add_flag("--full", options.full, "Every frame");
  command->add_flag("--by-hand", options.by_hand, "The plain gdb commands that show the same");
  command->add_option("--line", options.line, "Your own expression instead of the walkthrough's line")->type_name("CODE");
  command->add_flag("--variants", options.variants, "List the other outcomes this walkthrough knows");
  command->add_option("--variant", options.variant, "Take one of them; all: the walkthrough and every variant, linked to each other")
      ->type_name("NAME");
  command->add_flag("--answers", options.answers, "Run what the lesson's questions are about and print the answers");
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
      print_list(find_places(context), target_python(options.python), options.language);
    else if (options.number == every)
      context.exit_code = walk_all({options.out, options.python, options.language, options.route}, context);
    else if (options.answers)
      context.exit_code = print_answers({options.number, options.python, options.language}, context);
    else
      context.exit_code = walk_one(options, context);
  });
}

}  // namespace callpath::cli
