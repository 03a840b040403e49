// Where the agent begins: a constructor that runs before the program's main.
#include <fcntl.h>
#include <sys/mman.h>

#include "agent/environment.hpp"
#include "agent/protocol.hpp"
#include "agent/rendezvous.hpp"
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

void say_hello(Shared& shared) {
  shared.stop.kind = StopKind::hello;
  shared.stop.pid = static_cast<std::int32_t>(system_call(SYS_getpid));
  shared.stop.tid = static_cast<std::int32_t>(system_call(SYS_gettid));
  if (!stop_here(shared)) forget_session();
}

__attribute__((constructor(101))) void start() {
  Descriptors found = descriptors(environ);
  if (found.memory < 0) return;
  Shared* shared = map_shared(found.memory);
  close_all(found);
  clean(environ);
  if (shared && install(*shared)) say_hello(*shared);
}

}  // namespace
}  // namespace callpath::agent
