#include "cli/walk_routes.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "symbols/symbols.hpp"

namespace fs = std::filesystem;

namespace callpath::cli {
namespace {

/// gdb embeds a Python of its own and is linked to libraries of its own: variables that the user set for other programs would break it
/// (field case G06).
bool is_not_for_gdb(const std::string& name) {
  return name.rfind("PYTHON", 0) == 0 || name == "LD_PRELOAD" || name == "LD_LIBRARY_PATH" || name == "LD_AUDIT";
}

std::map<std::string, std::string> program_environment(const Itinerary& trip) {
  auto variables = trip.environment;
  variables["PYTHONPATH"] = python_path(trip.places);
  return variables;
}

EnvironmentChanges gdb_environment(const Itinerary& trip, const fs::path& record) {
  EnvironmentChanges changes;
  auto program = nlohmann::json::object();
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    const auto name = text.substr(0, text.find('='));
    if (!is_not_for_gdb(name)) continue;
    changes[name] = std::nullopt;
    program[name] = text.substr(name.size() + 1);
  }
  for (const auto& [name, value] : program_environment(trip)) program[name] = value;
  changes["DEBUGINFOD_URLS"] = std::nullopt;
  changes["CALLPATH_OUT"] = record.string();
  changes["CALLPATH_PYTHON"] = trip.python;
  changes["CALLPATH_SCRIPT"] = trip.program.string();
  changes["CALLPATH_CONDITION"] = trip.condition;
  changes["CALLPATH_PROGRAM_ENV"] = program.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  changes["CALLPATH_BIN"] = trip.places.program.string();
  return changes;
}

std::vector<std::string> process_command(const Itinerary& trip, const fs::path& record) {
  std::vector<std::string> command{trip.places.program.string(), "run", "--quiet", "--at", trip.walk->probe, "-o", record.string()};
  if (!trip.condition.empty()) command.insert(command.end(), {"--if", trip.condition});
  command.insert(command.end(), {"--python", trip.python, trip.program.string()});
  return command;
}

EnvironmentChanges process_environment(const Itinerary& trip) {
  EnvironmentChanges changes;
  for (const auto& [name, value] : trip.environment) changes[name] = value;
  return changes;
}

/// Debug information of an interpreter: in the file, or detached where gdb looks too.
bool has_symbols(const std::string& python) {
  Symbols symbols;
  Module module;
  module.path = fs::canonical(python).string();
  return symbols.level(module) == DebugLevel::full;
}

/// One word of a walkthrough's `needs`; what is missing, or empty.
std::string lacks(const std::string& need, const Places& places, const std::string& python) {
  if (need == "teach") {
    if (!fs::exists(places.packages / "tensorlib")) return "the engine, tensorlib, is not built: ./callpath walk 01 builds it";
    return CALLPATH_TEACH ? "" : "an engine with kernels built -O0; this one is the release build: use build/teach/bin/callpath";
  }
  if (need == "gdb") return find_program("gdb").empty() ? "gdb is not installed: sudo apt-get install gdb" : "";
  if (need == "python-symbols")
    return has_symbols(python) ? ""
                               : fmt::format("{} has no debug symbols: sudo apt-get install python{}-dbg", python, CALLPATH_PYTHON_VERSION);
  return fmt::format("this version of callpath does not know the need '{}'", need);
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "callpath.XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw Error(fmt::format("cannot make a temporary folder {}: {}", name, std::strerror(errno)),
                "Set TMPDIR to a folder that can be written.");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path program_with_line(const Walkthrough& walk, const std::string& line, const fs::path& folder) {
  std::ifstream in(walk.program);
  if (!in) throw Error(fmt::format("cannot read {}", walk.program.string()));
  const auto copy = folder / walk.program.filename();
  std::ofstream out(copy);
  int number = 0;
  for (std::string text; std::getline(in, text);) out << (++number == walk.line ? line : text) << '\n';
  if (number < walk.line) throw Error(fmt::format("{} has no line {}", walk.program.string(), walk.line));
  if (!out.flush()) throw Error(fmt::format("cannot write {}", copy.string()), "Set TMPDIR to a folder that can be written.");
  return copy;
}

Route::Route(Kind kind, const Itinerary& trip, const fs::path& scratch) : kind_(kind) {
  record_ = scratch / fmt::format("{}.json", name());
  if (kind == Kind::process) {
    child_ = std::make_unique<Child>(process_command(trip, record_), process_environment(trip));
  } else {
    child_ = std::make_unique<Child>(std::vector<std::string>{"gdb", "-nx", "-batch", "-x", trip.walk->drive.string()},
                                     gdb_environment(trip, record_));
  }
}

Route::Result Route::wait() {
  auto ended = child_->wait();
  Result result{std::nullopt, ended.status, std::move(ended.output), std::move(ended.errors)};
  if (fs::exists(record_)) result.recording = load(record_.string());
  return result;
}

std::vector<std::string> lacking(Route::Kind kind, const Walkthrough& walk, const Places& places, const std::string& python) {
  std::vector<std::string> result;
  for (const auto& need : kind == Route::Kind::process ? walk.process_needs : walk.gdb_needs)
    if (auto what = lacks(need, places, python); !what.empty()) result.push_back(what);
  return result;
}

}  // namespace callpath::cli
