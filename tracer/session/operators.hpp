// Operator calls, as libraries tell of them by a hook of a fixed name.
#pragma once

#include <string>
#include <vector>

#include "session/event_kinds.hpp"
#include "session/launch.hpp"
#include "session/modules.hpp"
#include "session/process.hpp"

namespace callpath::session {

/// Sets the hooks of the libraries that have one. Everything here happens while a thread of the program is stopped.
class OperatorHooks {
 public:
  OperatorHooks(SharedMemory& shared, ProcessMemory& memory) : shared_(shared), memory_(memory) {}

  /// Which operators the program is to stop at: those that any of the specs wants.
  void want(const std::vector<EventSpec>&);

  /// Sets the hook of a library if it has one; true if so.
  bool set(const Module&);

  /// Takes all hooks out of the libraries that are still loaded.
  void clear(const std::vector<Module>& loaded);

 private:
  void put(Address word, std::uint64_t function);

  SharedMemory& shared_;
  ProcessMemory& memory_;
  std::vector<std::pair<Address, std::string>> words_;  ///< With the library's path and build-id.
};

}  // namespace callpath::session
