// The conversation with the agent: waiting for stops, giving commands.
#pragma once

#include <atomic>
#include <optional>
#include <thread>

#include "core/address.hpp"
#include "session/launch.hpp"

namespace callpath::session {

class Channel {
 public:
  enum class Program { child, attached };

  /// Watches the process's end from a thread of its own.
  Channel(SharedMemory& memory, pid_t pid, Program program);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Waits until a thread of the program stops (true) or the program has ended (false). What stopped is in memory->stop.
  bool wait_for_stop();

  /// To the stopped thread: go on. Nothing of its state may be read afterwards.
  void go();

  /// To the stopped thread: map `size` bytes for code at exactly `address`. False if the program refused or ended.
  bool map(Address address, std::uint64_t size);

  /// No more stops from now on.
  void detach();

  /// Waits for the program's end; its status as waitpid gives it, 0 of an attached one, whose end is not waited for.
  int wait_for_end();

 private:
  bool command(agent::Command, std::uint64_t first = 0, std::uint64_t second = 0);

  void watch();

  SharedMemory& memory_;
  pid_t pid_;
  Program program_;
  int no_more_[2] = {-1, -1};  ///< Ends the watch of an attached program.
  std::uint32_t stops_seen_ = 0;
  std::atomic<bool> ended_{false};
  std::thread watcher_;
};

}  // namespace callpath::session
