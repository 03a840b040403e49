// Starting other programs from the command line: no shell, so no quoting.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace callpath::cli {

/// Changes to the environment of a child: a value, or nothing to take the variable away.
using EnvironmentChanges = std::map<std::string, std::optional<std::string>>;

struct Captured {
  int status = 0;  ///< Exit status, or 128 + the signal that ended it.
  std::string output, errors;
};

/// A child process whose output and errors are read into memory while it runs. Errors (the program is not there) throw Error.
class Child {
 public:
  /// `terminal`: its input and output are a terminal at which this was typed; otherwise its input is empty.
  Child(const std::vector<std::string>& command, const EnvironmentChanges& changes = {}, const std::optional<std::string>& terminal = {});
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();  ///< Ends the child if it was not waited for.

  Captured wait();

 private:
  pid_t pid_ = -1;
  int output_ = -1, errors_ = -1;
};

/// Runs a program to its end.
Captured run_captured(const std::vector<std::string>& command, const EnvironmentChanges& changes = {});

/// Becomes another program; returns only by throwing Error.
[[noreturn]] void become(const std::vector<std::string>& command, const EnvironmentChanges& changes = {});

}  // namespace callpath::cli
