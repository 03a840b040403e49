#include "cli/places.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include "cli/process.hpp"
#include "core/error.hpp"

namespace fs = std::filesystem;

namespace callpath::cli {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

Places installed_places(const fs::path& program, const fs::path& prefix) {
  const auto share = prefix / "share/callpath", own = prefix / "lib/callpath";
  return {program, own / "python", own / "lib/libcallpath_agent.so", share / "gdb", share / "walkthroughs", share / "setup", {}};
}

Places build_places(const fs::path& program, const fs::path& build) {
  const fs::path source = CALLPATH_SOURCE_FOLDER;
  return {program, build / "python", build / "lib/libcallpath_agent.so", source / "gdb", source / "walkthroughs", source / "cmake", source};
}

bool is_script(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return in.get() == '#' && in.get() == '!';
}

/// What an interpreter says of itself, a line each: version, the suffixes of extension modules it takes (a debug build takes two), its real
/// path.
std::vector<std::string> ask_python(const std::string& python) {
  const auto answer = run_captured({python, "-I", "-c",
                                    "import sys, importlib.machinery as m; print('%d.%d' % sys.version_info[:2], ' "
                                    "'.join(m.EXTENSION_SUFFIXES), sys.executable, sep='\\n')"});
  std::vector<std::string> lines;
  std::istringstream text(answer.output);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  if (answer.status != 0 || lines.size() != 3)
    throw Error(fmt::format("the Python interpreter {} does not run", python), "Choose one with --python PATH or CALLPATH_PYTHON=PATH.");
  return lines;
}

/// The path of the interpreter that was asked for; empty for the one that the build was made for.
std::string chosen_python(const std::string& chosen) {
  const auto python = chosen.empty() ? environment("CALLPATH_PYTHON") : chosen;
  if (python.empty() || python == CALLPATH_DEFAULT_PYTHON) {
    if (access(CALLPATH_DEFAULT_PYTHON, X_OK) == 0) return {};
    throw Error(fmt::format("{}, the interpreter this build is made for, is not there", CALLPATH_DEFAULT_PYTHON),
                "Choose one with --python PATH.");
  }
  if (python.find('/') != std::string::npos) return python;
  const auto found = find_program(python);
  if (found.empty()) throw Error(fmt::format("there is no {} on PATH", python), "Give the interpreter's path: --python /usr/bin/python3");
  return found;
}

bool takes_our_modules(const std::vector<std::string>& answer) {
  return answer[0] == CALLPATH_PYTHON_VERSION && answer[1].find(CALLPATH_PYTHON_SUFFIX) != std::string::npos;
}

[[noreturn]] void refuse(const std::string& python, const std::vector<std::string>& answer) {
  const auto choose = fmt::format("Choose a Python {} with --python PATH or CALLPATH_PYTHON=PATH.", CALLPATH_PYTHON_VERSION);
  if (answer[0] != CALLPATH_PYTHON_VERSION)
    throw Error(fmt::format("{} is Python {}; this build is made for {}", python, answer[0], CALLPATH_PYTHON_VERSION), choose);
  throw Error(fmt::format("{} takes no extension modules named {}, as this build makes them; it takes {}", python, CALLPATH_PYTHON_SUFFIX,
                          answer[1]),
              choose);
}

}  // namespace

Places find_places(const Context& context) {
  std::error_code failed;
  auto program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) program = fs::canonical(context.program, failed);
  if (failed) throw Error(fmt::format("cannot tell where {} is", context.program), "Start callpath by its full path.");
  const auto prefix = program.parent_path().parent_path();
  if (fs::exists(prefix / "share/callpath")) return installed_places(program, prefix);
  return build_places(program, prefix);
}

std::string target_python(const std::string& chosen) {
  const auto python = chosen_python(chosen);
  if (python.empty()) return CALLPATH_DEFAULT_PYTHON;
  const auto answer = ask_python(python);
  if (!takes_our_modules(answer)) refuse(python, answer);
  return is_script(python) ? answer[2] : python;
}

TargetPython target_python_of_any_version(const std::string& chosen) {
  const auto python = chosen_python(chosen);
  if (python.empty()) return {CALLPATH_DEFAULT_PYTHON, true};
  const auto answer = ask_python(python);
  return {is_script(python) ? answer[2] : python, takes_our_modules(answer)};
}

std::string python_path(const Places& places) {
  const auto users = environment("PYTHONPATH");
  const auto ours = places.packages.string();
  if (users.empty()) return ours;
  return (":" + users + ":").find(":" + ours + ":") == std::string::npos ? ours + ":" + users : users;
}

std::string find_program(const std::string& name) {
  const auto path = environment("PATH");
  for (std::size_t begin = 0; begin <= path.size();) {
    auto end = path.find(':', begin);
    if (end == std::string::npos) end = path.size();
    const auto candidate = fs::path(path.substr(begin, end - begin)) / name;
    if (!candidate.parent_path().empty() && access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate)) return candidate.string();
    begin = end + 1;
  }
  return {};
}

std::string version() { return CALLPATH_VERSION; }

}  // namespace callpath::cli
