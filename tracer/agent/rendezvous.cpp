#include "agent/rendezvous.hpp"

#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "capture/syscall.hpp"

namespace callpath::agent {
namespace {

using capture::system_call;
using capture::word;

void wake(std::atomic<std::uint32_t>& futex) {
  futex.fetch_add(1, std::memory_order_release);
  system_call(SYS_futex, word(&futex), FUTEX_WAKE, 1 << 30);
}

/// Waits a while for the value to change. Not for ever: a session that was killed wakes nobody.
void wait(std::atomic<std::uint32_t>& futex, std::uint32_t while_it_is) {
  timespec at_most{0, 200'000'000};
  system_call(SYS_futex, word(&futex), FUTEX_WAIT, while_it_is, word(&at_most));
}

/// A child that ended stays visible to waitid, which leaves it for the program to reap; one that was reaped is no child any more.
bool child_lives(std::int32_t pid) {
  siginfo_t info = {};
  const long answer = system_call(SYS_waitid, P_PID, pid, word(&info), WEXITED | WNOHANG | WNOWAIT, 0);
  return answer == 0 && info.si_pid == 0;
}

bool session_lives(const Shared& shared) {
  return shared.session_is_child ? child_lives(shared.session_pid) : system_call(SYS_getppid) == shared.session_pid;
}

/// Room for relocated instructions, where the session asks for it.
std::int64_t map_code(std::uint64_t address, std::uint64_t size) {
  constexpr int fixed_noreplace = 0x100000;
  return system_call(SYS_mmap, static_cast<long>(address), static_cast<long>(size), PROT_READ | PROT_EXEC,
                     MAP_PRIVATE | MAP_ANONYMOUS | fixed_noreplace, -1, 0);
}

}  // namespace

bool stop_here(Shared& shared) {
  std::uint32_t seen = shared.to_agent.load(std::memory_order_acquire);
  shared.stops.fetch_add(1, std::memory_order_release);
  wake(shared.to_session);
  for (;;) {
    wait(shared.to_agent, seen);
    std::uint32_t now = shared.to_agent.load(std::memory_order_acquire);
    if (now == seen) {
      if (!session_lives(shared)) return false;
      continue;
    }
    seen = now;
    Command command = shared.command;
    if (command == Command::map) shared.result = map_code(shared.argument[0], shared.argument[1]);
    shared.answered.store(seen, std::memory_order_release);
    wake(shared.to_session);
    if (command == Command::go) return true;
  }
}

void HitLock::acquire() {
  std::uint32_t free = 0;
  if (word_.compare_exchange_strong(free, 1, std::memory_order_acquire)) return;
  while (word_.exchange(2, std::memory_order_acquire) != 0) system_call(SYS_futex, word(&word_), FUTEX_WAIT_PRIVATE, 2, 0);
}

void HitLock::release() {
  if (word_.exchange(0, std::memory_order_release) == 2) system_call(SYS_futex, word(&word_), FUTEX_WAKE_PRIVATE, 1);
}

}  // namespace callpath::agent
