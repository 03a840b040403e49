// Publishing a stop and carrying out the session's commands. Async-signal-safe.
#pragma once

#include "agent/protocol.hpp"

namespace callpath::agent {

/// Tells the session about shared.stop and waits, doing what it asks, until it lets the thread go on. False if the session is no longer
/// there: nobody will ask for stops again.
bool stop_here(Shared& shared);

/// A lock for threads that hit probes at the same time; none of the program's.
class HitLock {
 public:
  void acquire();
  void release();

 private:
  std::atomic<std::uint32_t> word_{0};  ///< 0 free, 1 held, 2 held and waited for.
};

}  // namespace callpath::agent
