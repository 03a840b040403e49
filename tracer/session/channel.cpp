#include "session/channel.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>

#include "core/error.hpp"

namespace callpath::session {
namespace {

void wake(std::atomic<std::uint32_t>& word) {
  word.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void wait(std::atomic<std::uint32_t>& word, std::uint32_t while_it_is) {
  syscall(SYS_futex, &word, FUTEX_WAIT, while_it_is, nullptr, nullptr, 0);
}

}  // namespace

Channel::Channel(SharedMemory& memory, pid_t pid, Program program) : memory_(memory), pid_(pid), program_(program) {
  if (program == Program::attached && pipe2(no_more_, O_CLOEXEC) != 0) throw Error(fmt::format("no pipe: {}", std::strerror(errno)));
  watcher_ = std::thread([this] {
    watch();
    ended_ = true;
    wake(memory_->to_session);
  });
}

void Channel::watch() {
  if (program_ == Program::child) {
    siginfo_t info = {};
    for (;;) {
      const bool told = waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) == 0;
      if (told ? info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED : errno != EINTR) return;
      // A stop by ptrace, which lasts a moment, is told to every waiter of the tracer's process, asked for or not.
      if (told) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  const int program = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  pollfd ends[] = {{program, POLLIN, 0}, {no_more_[0], POLLIN, 0}};
  while (poll(ends, 2, -1) < 0 && errno == EINTR) {
  }
  close(program);
}

Channel::~Channel() {
  detach();
  if (memory_->stops.load() != stops_seen_) go();
  if (program_ == Program::attached) close(no_more_[1]);
  watcher_.join();
  if (program_ == Program::attached) close(no_more_[0]);
}

bool Channel::wait_for_stop() {
  for (;;) {
    std::uint32_t before = memory_->to_session.load(std::memory_order_acquire);
    if (memory_->stops.load(std::memory_order_acquire) != stops_seen_) return ++stops_seen_, true;
    if (ended_) return false;
    wait(memory_->to_session, before);
  }
}

bool Channel::command(agent::Command command, std::uint64_t first, std::uint64_t second) {
  memory_->command = command;
  memory_->argument[0] = first;
  memory_->argument[1] = second;
  wake(memory_->to_agent);
  std::uint32_t sequence = memory_->to_agent.load(std::memory_order_acquire);
  for (;;) {
    std::uint32_t before = memory_->to_session.load(std::memory_order_acquire);
    if (memory_->answered.load(std::memory_order_acquire) == sequence) return true;
    if (ended_) return false;
    wait(memory_->to_session, before);
  }
}

void Channel::go() { command(agent::Command::go); }

bool Channel::map(Address address, std::uint64_t size) {
  return command(agent::Command::map, address.value, size) && memory_->result == static_cast<std::int64_t>(address.value);
}

void Channel::detach() { memory_->detached.store(1, std::memory_order_release); }

int Channel::wait_for_end() {
  int status = 0;
  if (program_ == Program::attached) return 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace callpath::session
