// Where callpath's own files are, in a build tree and after installation.
#pragma once

#include <filesystem>
#include <string>

#include "cli/command.hpp"

namespace callpath::cli {

/// Folders and files that commands use. A build tree has its packages and libraries beside `bin` and reads scripts from the source; an
/// installation has all of it under one prefix and can be moved as a whole.
struct Places {
  std::filesystem::path program;       ///< This binary, links resolved.
  std::filesystem::path packages;      ///< For PYTHONPATH: holds `callpath` and `tensorlib`.
  std::filesystem::path agent;         ///< The library that is preloaded into the traced program.
  std::filesystem::path gdb;           ///< Holds load.py.
  std::filesystem::path walkthroughs;  ///< One folder a lesson.
  std::filesystem::path setup;         ///< Holds doctor.sh.
  std::filesystem::path source;        ///< The source folder; empty after installation.
  bool installed() const { return source.empty(); }
};

/// Throws Error if the binary's own place cannot be told.
Places find_places(const Context&);

/// The interpreter to trace: `chosen` (--python), else CALLPATH_PYTHON, else the one the build was made for. A script (a version manager's
/// shim) is asked which interpreter it starts. Throws Error if it does not run or is of another version than the build's extension modules.
std::string target_python(const std::string& chosen = {});

struct TargetPython {
  std::string path;
  bool takes_our_modules = false;  ///< tensorlib and other extension modules of this build can be imported.
};

/// The same for tracing programs that need none of our modules: any version.
TargetPython target_python_of_any_version(const std::string& chosen = {});

/// The value of PYTHONPATH with our packages in front of the user's; the user's own if it names them.
std::string python_path(const Places&);

/// Full path of a program on PATH, or empty.
std::string find_program(const std::string& name);

/// The version of callpath.
std::string version();

}  // namespace callpath::cli
