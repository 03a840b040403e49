// The traced program as its parent sees it: memory, threads, state. Linux's /proc is the source.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/memory.hpp"
#include "tables/functions.hpp"

namespace callpath::session {

/// Memory of another process of the same user. Reading is allowed at any time; what it means needs the thread to be stopped.
class ProcessMemory : public Memory {
 public:
  explicit ProcessMemory(pid_t pid);
  ~ProcessMemory() override;
  ProcessMemory(const ProcessMemory&) = delete;
  ProcessMemory& operator=(const ProcessMemory&) = delete;

  bool read(Address from, void* to, std::size_t size) const override;

  /// Writes into program text, whatever its protection, the program's own private copy of the page. Throws Error where that is not allowed.
  void write_text(Address to, const void* from, std::size_t size);

 private:
  pid_t pid_;
  int file_ = -1;
};

/// One line of /proc/PID/maps.
struct Mapping {
  Address begin, end;
  bool readable = false, writable = false, executable = false;
  std::uint64_t offset = 0, inode = 0;
  std::string device, path;
};
std::vector<Mapping> read_mappings(pid_t);

/// Memory that belongs to no file, can be written, and is there: pages that were never touched are left out.
std::vector<tables::Extent> heap_of(pid_t);

/// The process that traces this one with ptrace, or 0.
pid_t tracer_of(pid_t);

std::vector<pid_t> threads_of(pid_t);

/// Threads in which a signal is blocked.
std::vector<pid_t> threads_blocking(pid_t, int signal);

/// The command name of a thread; empty if it is gone.
std::string thread_name(pid_t, pid_t tid);

/// What it was started with, argv[0] and all.
std::vector<std::string> arguments_of(pid_t);

/// Where a symbolic link under /proc/PID leads; empty if it cannot be read.
std::string proc_link(pid_t, const char* name);

}  // namespace callpath::session
