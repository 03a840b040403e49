#include "session/data_watch.hpp"

#include <fmt/format.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "core/error.hpp"
#include "session/process.hpp"

namespace callpath::session {
namespace {

int open_event(const WatchedPlace& place, pid_t thread) {
  perf_event_attr attributes = {};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_BREAKPOINT;
  attributes.bp_type = place.writes_only ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW;
  attributes.bp_addr = place.address.value;
  attributes.bp_len = static_cast<std::uint64_t>(place.size);
  attributes.sample_period = 1;
  attributes.exclude_kernel = attributes.exclude_hv = 1;
  attributes.inherit = attributes.inherit_thread = 1;
  attributes.remove_on_exec = attributes.sigtrap = 1;
  attributes.sig_data = agent::watch_mark;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

/// DR7: which of the four registers are on, and for each the kind of access and the size.
unsigned long control_word(const std::vector<WatchedPlace>& places) {
  unsigned long word = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const unsigned long kind = places[i].writes_only ? 1 : 3;
    const unsigned long size = places[i].size == 8 ? 2 : static_cast<unsigned long>(places[i].size - 1);
    word |= 1ul << 2 * i | (kind | size << 2) << (16 + 4 * i);
  }
  return word;
}

std::size_t register_offset(std::size_t number) { return offsetof(user, u_debugreg) + number * sizeof(user::u_debugreg[0]); }

bool poke(pid_t thread, std::size_t number, unsigned long value) {
  return ptrace(PTRACE_POKEUSER, thread, register_offset(number), value) == 0;
}

/// waitid that a signal to the session does not end: a thread would stay stopped.
int wait_for(id_t thread, siginfo_t& info, int options) {
  int result;
  do result = waitid(P_PID, thread, &info, options);
  while (result != 0 && errno == EINTR);
  return result;
}

/// Stops one thread for as long as it takes to write its debug registers. 0 or the error.
int write_registers_of(pid_t thread, const std::vector<WatchedPlace>& places) {
  if (ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) != 0) return errno == ESRCH ? 0 : errno;
  siginfo_t info = {};
  int error = 0;
  if (ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr) != 0) return errno;
  // Looked at first and taken then: an end in place of the stop is for the one who waits for the program's end.
  const auto id = static_cast<id_t>(thread);
  if (wait_for(id, info, WSTOPPED | WEXITED | WNOWAIT | __WALL) != 0) return errno;
  if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED) return 0;
  wait_for(id, info, WSTOPPED | __WALL);
  bool written = poke(thread, 7, 0);
  for (std::size_t i = 0; written && i < places.size(); ++i) written = poke(thread, i, places[i].address.value);
  if (!written || !poke(thread, 7, control_word(places))) error = errno;
  // A signal that came at the same moment is the program's.
  const int event = info.si_status >> 8, signal = event == PTRACE_EVENT_STOP ? 0 : info.si_status & 0x7f;
  ptrace(PTRACE_DETACH, thread, nullptr, signal);
  return error;
}

}  // namespace

std::string DataWatch::open_events(const std::vector<WatchedPlace>& places) {
  for (const auto& place : places)
    for (const pid_t thread : threads_of(pid_)) {
      const int event = open_event(place, thread);
      if (event >= 0)
        events_.push_back(event);
      else if (errno != ESRCH)
        return std::strerror(errno);
    }
  return events_.empty() ? "no thread" : "";
}

std::string DataWatch::write_registers(const std::vector<WatchedPlace>& places) {
  by_ptrace_ = true;
  for (const pid_t thread : threads_of(pid_))
    if (const int error = write_registers_of(thread, places)) return std::strerror(error);
  return {};
}

void DataWatch::set(const std::vector<WatchedPlace>& places) {
  clear();
  if (places.empty()) return;
  shared_->has_watched.store(1);
  shared_->watching.store(1);
  const auto why_no_events = open_events(places);
  if (why_no_events.empty()) return;
  for (const int event : events_) close(event);
  events_.clear();
  const auto why_no_registers = write_registers(places);
  if (why_no_registers.empty()) return;
  clear();
  throw Error(fmt::format("memory of the program cannot be watched: perf_event_open: {}; ptrace: {}", why_no_events, why_no_registers),
              "Allow one of them: sysctl kernel.perf_event_paranoid=2, or in a container --cap-add=PERFMON or --cap-add=SYS_PTRACE.");
}

void DataWatch::clear() {
  shared_->watching.store(0);
  for (const int event : events_) close(event);
  events_.clear();
  if (by_ptrace_)
    for (const pid_t thread : threads_of(pid_)) write_registers_of(thread, {});
  by_ptrace_ = false;
}

}  // namespace callpath::session
