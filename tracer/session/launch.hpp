// Starting the program with the agent in it, and ending as it ended.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "agent/protocol.hpp"

namespace callpath::session {

/// What to start. Nothing here is changed on the way but the agent's two variables, which the agent removes before the program's main.
struct Launch {
  std::string executable;                ///< An ELF program; no script.
  std::vector<std::string> argv;         ///< argv[0] and all.
  std::vector<std::string> environment;  ///< "NAME=value".
  std::string agent;                     ///< Path of libcallpath_agent.so.
};

/// Shared memory with the agent.
class SharedMemory {
 public:
  SharedMemory();
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  agent::Shared& operator*() const { return *shared_; }
  agent::Shared* operator->() const { return shared_; }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
  agent::Shared* shared_ = nullptr;
};

/// While it exists, SIGINT and SIGQUIT of the terminal are the program's business alone, and SIGTERM and SIGHUP are passed on to it.
class SignalsForProgram {
 public:
  SignalsForProgram();
  ~SignalsForProgram();
  SignalsForProgram(const SignalsForProgram&) = delete;
  SignalsForProgram& operator=(const SignalsForProgram&) = delete;

  void pass_to(pid_t) const;
  /// In the child: what was there before.
  void restore() const;

 private:
  static constexpr int count = 4;
  struct sigaction saved_[count];
};

/// Starts it; throws Error if it cannot be executed (not found, not executable, a script instead of a program).
pid_t start(const Launch&, const SharedMemory&, const SignalsForProgram&);

/// A status as waitpid gives it, turned into our own end: exits with the same code, or dies by the same signal (without a core file of
/// ours).
int exit_code_of(int status);
[[noreturn]] void die_by(int signal);

}  // namespace callpath::session
