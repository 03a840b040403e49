// Signals kept away from a thread that holds the stop: a handler that came to a probe meanwhile would wait for itself.
#pragma once

#include <signal.h>

#include "capture/syscall.hpp"

namespace callpath::agent {

/// Blocks signals of the calling thread while it lives, on top of those that are blocked already. Async-signal-safe.
class NoSignals {
 public:
  /// All of them. The session would take that for the program's own mask, unless the thread is noted in Shared::inside.
  NoSignals() : NoSignals(~0ul) {}
  /// All but SIGTRAP, whose bit in /proc stays the program's.
  static NoSignals but_trap() { return NoSignals(~(1ul << (SIGTRAP - 1))); }
  ~NoSignals() { capture::system_call(SYS_rt_sigprocmask, SIG_SETMASK, capture::word(&before_), 0, set_size); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  static constexpr std::size_t set_size = 8;  ///< The kernel's, not libc's.
  explicit NoSignals(unsigned long blocked) {
    capture::system_call(SYS_rt_sigprocmask, SIG_BLOCK, capture::word(&blocked), capture::word(&before_), set_size);
  }
  unsigned long before_ = 0;
};

}  // namespace callpath::agent
