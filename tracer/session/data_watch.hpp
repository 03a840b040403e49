// Places in the program's memory whose reading or writing stops the thread that does it: the processor's debug registers.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/address.hpp"
#include "session/launch.hpp"

namespace callpath::session {

struct WatchedPlace {
  Address address;
  int size = 2;              ///< 1, 2, 4 or 8, to which the address is aligned.
  bool writes_only = false;  ///< The processor knows writes, and reads and writes; not reads alone.
};

constexpr std::size_t most_watched = 4;

/// The traps are signals to the program itself, where the agent takes them: through perf_event_open, which threads inherit that start
/// later; where that is not permitted, through debug registers set by a short ptrace of each thread, which later threads do not inherit.
class DataWatch {
 public:
  explicit DataWatch(SharedMemory& shared, pid_t pid) : shared_(shared), pid_(pid) {}
  ~DataWatch() { clear(); }
  DataWatch(const DataWatch&) = delete;
  DataWatch& operator=(const DataWatch&) = delete;

  /// Replaces what is watched. At most most_watched places. Throws Error with both reasons if neither way is open.
  void set(const std::vector<WatchedPlace>&);
  void clear();

  bool reaches_new_threads() const { return !by_ptrace_; }

 private:
  std::string open_events(const std::vector<WatchedPlace>&);  ///< Why not; empty if all were opened.
  std::string write_registers(const std::vector<WatchedPlace>&);

  SharedMemory& shared_;
  pid_t pid_;
  std::vector<int> events_;
  bool by_ptrace_ = false;
};

}  // namespace callpath::session
