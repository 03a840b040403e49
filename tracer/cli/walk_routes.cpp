#include "cli/walk_routes.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string_view>

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
  auto variables = trip.setting.environment;
  variables["PYTHONPATH"] = (trip.packages.empty() ? "" : trip.packages + ":") + python_path(trip.places);
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
  changes["CALLPATH_WALK"] = trip.walk->folder.string();
  changes["CALLPATH_VARIANT"] = trip.variant;
  changes["CALLPATH_SCRIPT"] = trip.setting.program.string();
  changes["CALLPATH_CONDITION"] = trip.setting.stop.condition;
  changes["CALLPATH_PROGRAM_ENV"] = program.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  changes["CALLPATH_BIN"] = trip.places.program.string();
  return changes;
}

std::vector<std::string> process_command(const Itinerary& trip, const fs::path& record) {
  const auto& setting = trip.setting;
  const auto& stop = setting.stop;
  std::vector<std::string> command{trip.places.program.string(), "run", "--quiet", "-o", record.string(), "--python", trip.python};
  if (!stop.at.empty()) command.insert(command.end(), {"--at", stop.at});
  if (!stop.events.empty()) command.insert(command.end(), {"--events", stop.events});
  if (!stop.condition.empty()) command.insert(command.end(), {"--if", stop.condition});
  command.insert(command.end(), {"--limit", std::to_string(stop.limit)});
  command.insert(command.end(), setting.python.begin(), setting.python.end());
  command.push_back(setting.program.string());
  return command;
}

EnvironmentChanges process_environment(const Itinerary& trip) {
  EnvironmentChanges changes;
  for (const auto& [name, value] : trip.setting.environment) changes[name] = value;
  if (!trip.packages.empty()) changes["PYTHONPATH"] = trip.packages + ":" + python_path(trip.places);
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
  constexpr std::string_view module = "module:";
  if (need == "engine" || need == "teach") {
    if (!fs::exists(places.packages / "tensorlib")) return "the engine, tensorlib, is not built: ./callpath walk 01 builds it";
    return CALLPATH_TEACH || need == "engine"
               ? ""
               : "an engine with kernels built -O0; this one is the release build: use build/teach/bin/callpath";
  }
  if (need == "gdb") return find_program("gdb").empty() ? "gdb is not installed: sudo apt-get install gdb" : "";
  if (need == "python-symbols")
    return has_symbols(python) ? ""
                               : fmt::format("{} has no debug symbols: sudo apt-get install python{}-dbg", python, CALLPATH_PYTHON_VERSION);
  if (need.starts_with(module)) {
    const auto name = need.substr(module.size());
    const auto* find = "import importlib.util as u, sys; sys.exit(u.find_spec(sys.argv[1]) is None)";
    if (run_captured({python, "-c", find, name}).status == 0) return "";
    return fmt::format("{} has no module {}: sudo apt-get install python3-{}", python, name, name);
  }
  return fmt::format("this version of callpath does not know the need '{}'", need);
}

void copy_with(const Edit& edit, const fs::path& from, const fs::path& to) {
  std::ifstream in(from);
  if (!in) throw Error(fmt::format("cannot read {}", from.string()));
  const std::regex after(edit.after);
  std::ofstream out(to);
  int found = 0;
  for (std::string text; std::getline(in, text);) {
    out << text << '\n';
    if (std::regex_search(text, after) && ++found == 1) out << edit.insert << '\n';
  }
  if (found != 1) throw Error(fmt::format("{}: {} lines match '{}', there must be one", from.string(), found, edit.after));
  if (!out.flush()) throw Error(fmt::format("cannot write {}", to.string()), "Set TMPDIR to a folder that can be written.");
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

fs::path program_with_line(const fs::path& program, int number, const std::string& line, const fs::path& folder) {
  std::ifstream in(program);
  if (!in) throw Error(fmt::format("cannot read {}", program.string()));
  const auto copy = folder / program.filename();
  std::ofstream out(copy);
  int at = 0;
  for (std::string text; std::getline(in, text);) out << (++at == number ? line : text) << '\n';
  if (at < number) throw Error(fmt::format("{} has no line {}", program.string(), number));
  if (!out.flush()) throw Error(fmt::format("cannot write {}", copy.string()), "Set TMPDIR to a folder that can be written.");
  return copy;
}

fs::path packages_with(const std::vector<Edit>& edits, const Places& places, const fs::path& folder) {
  const auto root = folder / "edited", top = root / places.packages.filename();
  fs::create_directories(top);
  for (const auto& entry :
       fs::directory_iterator(places.packages.parent_path()))  // Extension modules find their libraries beside the packages.
    if (entry.path() != places.packages) fs::create_symlink(entry.path(), root / entry.path().filename());
  for (const auto& edit : edits) {
    const auto package = fs::path(edit.file).parent_path();
    if (!fs::exists(top / package)) {
      fs::create_directories(top / package);
      for (const auto& entry : fs::directory_iterator(places.packages / package))
        if (entry.path().filename() != "__pycache__") fs::create_symlink(entry.path(), top / package / entry.path().filename());
    }
    const auto before = top / (edit.file + ".before");  // The package's own, or a copy with the edits so far.
    fs::rename(top / edit.file, before);
    copy_with(edit, before, top / edit.file);
    fs::remove(before);
  }
  return top;
}

Route::Route(Kind kind, const Itinerary& trip, const fs::path& scratch) : kind_(kind) {
  record_ = scratch / fmt::format("{}.json", name());
  if (kind == Kind::process)
    child_ = std::make_unique<Child>(process_command(trip, record_), process_environment(trip), trip.setting.terminal);
  else
    child_ =
        std::make_unique<Child>(std::vector<std::string>{"gdb", "-nx", "-batch", "-x", (trip.places.walkthroughs / "drive.py").string()},
                                gdb_environment(trip, record_));
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
