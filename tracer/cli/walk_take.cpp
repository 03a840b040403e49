#include "cli/walk_take.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "core/error.hpp"

namespace fs = std::filesystem;

namespace callpath::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

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

/// Of threads that work side by side either may come to the stop first: the one with Python frames is told first.
void put_python_first(Recording& recording) {
  std::stable_partition(recording.events.begin(), recording.events.end(), [](const Event& event) { return event.thread.has_python; });
}

Itinerary plan(const Trip& trip, const fs::path& scratch) {
  const auto& walk = *trip.walk;
  Itinerary result{&walk, trip.places, trip.python, trip.variant, setting_of(trip), {}};
  auto& setting = result.setting;
  if (!trip.line.empty()) {
    if (!walk.line.number) throw Error(fmt::format("walkthrough {} takes no --line", walk.number));
    setting.line = line_for(trip.line, walk.line);
    check_syntax(setting.line, trip.python);
    setting.stop.condition = condition_for(trip.line, walk.line);
  }
  if (!setting.line.empty()) setting.program = program_with_line(setting.program, walk.line.number, setting.line, scratch);
  if (!setting.edits.empty()) result.packages = packages_with(setting.edits, trip.places, scratch).string();
  return result;
}

}  // namespace

void wait_through_interrupts() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void check_interrupted() {
  if (interrupted) throw Error("interrupted; nothing was written");
}

const Setting& setting_of(const Trip& trip) {
  return trip.variant.empty() ? trip.walk->setting : find_variant(*trip.walk, trip.variant).setting;
}

std::vector<Route::Kind> routes_of(const Trip& trip, const std::string& route) {
  const auto& stop = setting_of(trip).stop;
  std::vector<Route::Kind> routes;
  if (stop.has_process() && route != "gdb") routes.push_back(Route::Kind::process);
  if (stop.has_gdb && route != "process") routes.push_back(Route::Kind::gdb);
  if (routes.empty())
    throw Error(fmt::format("'{}' of walkthrough {} is not recorded by the {} route", trip.variant, trip.walk->number, route),
                "Leave --route away.");
  return routes;
}

bool Taken::reached() const {
  return std::all_of(results.begin(), results.end(),
                     [](const Route::Result& result) { return result.recording && !result.recording->events.empty(); });
}

Taken take(const Trip& trip, const std::vector<Route::Kind>& routes) {
  const TemporaryFolder scratch;
  const auto itinerary = plan(trip, scratch.path());
  std::vector<std::unique_ptr<Route>> under_way;
  for (const auto kind : routes) under_way.push_back(std::make_unique<Route>(kind, itinerary, scratch.path()));
  Taken taken;
  for (const auto& route : under_way) {
    taken.results.push_back(route->wait());
    taken.names.push_back(route->name());
  }
  check_interrupted();
  for (auto& result : taken.results)
    if (result.recording) put_python_first(*result.recording);
  return taken;
}

std::vector<std::string> lacking_for(const std::vector<Route::Kind>& routes, const Walkthrough& walk, const Places& places,
                                     const std::string& python) {
  std::vector<std::string> all;
  for (const auto kind : routes)
    for (const auto& what : lacking(kind, walk, places, python))
      if (std::find(all.begin(), all.end(), what) == all.end()) all.push_back(what);
  return all;
}

void link(Recordings& recordings) {
  for (auto& [own, recording] : recordings)
    for (auto& decision : recording.events.at(0).decisions) {
      decision.elsewhere.clear();
      for (const auto& [name, other] : recordings)
        for (const auto& there : other.events.at(0).decisions) {
          const bool known =
              std::any_of(decision.elsewhere.begin(), decision.elsewhere.end(), [&](const auto& e) { return e.option == there.taken; });
          if (name != own && there.id == decision.id && there.taken != decision.taken && !known)
            decision.elsewhere.push_back({there.taken, name + ".json"});
        }
    }
}

std::string stem_of(const Walkthrough& walk, const std::string& variant) {
  return variant.empty() ? walk.name() : fmt::format("{}-{}", walk.name(), variant);
}

}  // namespace callpath::cli
