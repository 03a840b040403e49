// Where the agent begins: a constructor that runs before the program's main.
#include <fcntl.h>
#include <sys/mman.h>

#include "agent/environment.hpp"
#include "agent/protocol.hpp"
#include "agent/trap.hpp"
#include "capture/syscall.hpp"

extern char** environ;

namespace callpath::agent {
namespace {

using capture::system_call;

bool failed(long answer) { return answer < 0 && answer > -4096; }

Shared* map_shared(int descriptor) {
  long address = system_call(SYS_mmap, 0, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (failed(address)) return nullptr;
  auto* shared = reinterpret_cast<Shared*>(address);
  if (shared->magic == protocol_magic && shared->size == sizeof(Shared)) return shared;
  system_call(SYS_munmap, address, sizeof(Shared));
  return nullptr;
}

/// The program's descriptors are numbered as if we had never been there.
void close_all(Descriptors found) {
  if (found.memory >= 0) system_call(SYS_close, found.memory);
  if (found.agent >= 0) system_call(SYS_close, found.agent);
}

__attribute__((constructor(101))) void start() {
  Descriptors found = descriptors(environ);
  if (found.memory < 0) return;
  Shared* shared = map_shared(found.memory);
  close_all(found);
  clean(environ);
  if (shared && install(*shared)) stop_by_itself(StopKind::hello);
}

}  // namespace

extern "C" {

/// For a program that loads the agent itself: maps the session's memory and waits until the session has set its probes. 0; 1 if the memory
/// is none of ours, 2 if the handler cannot be installed, 3 if no session answers, 4 if the
/// program was started by a session. One thread at a time.
__attribute__((visibility("default"))) int callpath_agent_attach(int descriptor) {
  if (started_by_session()) return 4;
  Shared* shared = map_shared(descriptor);
  if (!shared) return 1;
  if (!install(*shared)) return 2;
  return stop_by_itself(StopKind::hello) ? 0 : 3;
}

/// Ends what callpath_agent_attach began: the session takes its probes out first. The memory stays: a thread may still be on its way out of
/// the handler.
__attribute__((visibility("default"))) int callpath_agent_leave() { return stop_by_itself(StopKind::leave) ? 0 : 3; }
}

}  // namespace callpath::agent
