// Running small programs of the tests under a session.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "session/session.hpp"

extern char** environ;

namespace callpath::session {

/// A program with the agent, stopped at `at`; what was recorded goes to `recording`.
inline RunOptions program(const std::string& path, const std::string& at, Recording* recording = nullptr) {
  RunOptions options;
  options.launch.executable = path;
  options.launch.argv = {path};
  for (char** entry = environ; *entry; ++entry) options.launch.environment.emplace_back(*entry);
  options.launch.agent = CALLPATH_AGENT;
  options.at = {at};
  if (recording) options.on_recorded = [recording](Recording& made) { *recording = made; };
  return options;
}

inline int exit_status(const Outcome& outcome) {
  return WIFEXITED(outcome.status) ? WEXITSTATUS(outcome.status) : 128 + WTERMSIG(outcome.status);
}

}  // namespace callpath::session
