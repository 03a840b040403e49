// Small programs in one: the first argument says which. Each exits with 0 if all is as it would be without a tracer.
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#define KEPT extern "C" __attribute__((noinline))

KEPT int probed(int value) {
  asm volatile("");
  return value + 1;
}

namespace {

int once() { return probed(1) == 2 ? 0 : 1; }

/// Threads that hit the probe together, again and again.
std::atomic<int> ready{0};
void* hits(void* sum) {
  ++ready;
  while (ready < 4) sched_yield();
  for (int i = 0; i < 200; ++i) *static_cast<int*>(sum) += probed(i);
  return nullptr;
}
int threads() {
  pthread_t all[4];
  int sums[4] = {};
  for (int i = 0; i < 4; ++i) pthread_create(&all[i], nullptr, hits, &sums[i]);
  for (auto& thread : all) pthread_join(thread, nullptr);
  for (int sum : sums)
    if (sum != 200 * 199 / 2 + 200) return 1;
  return 0;
}

/// A child that goes over the probe alone, while its parent goes on too.
int forks() {
  pid_t child = fork();
  if (child == 0) _exit(probed(41) == 42 ? 7 : 8);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 7) return 1;
  return probed(1) == 2 ? 0 : 2;
}

int forks_without_hit_of_its_own() {
  pid_t child = fork();
  if (child == 0) _exit(probed(41) == 42 ? 7 : 8);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 7 ? 0 : 1;
}

struct Counts {
  int& count;
  ~Counts() { ++count; }
};
KEPT void probed_throw(int value) {
  if (value > 0) throw std::runtime_error("through a probed function");
}
KEPT void probed_between(int value, int& destroyed) {
  Counts counts{destroyed};
  probed_throw(value);
}
int throws() {
  int caught = 0, destroyed = 0;
  for (int i = 1; i <= 3; ++i) {
    try {
      probed_between(i, destroyed);
    } catch (const std::runtime_error&) {
      ++caught;
    }
  }
  return caught == 3 && destroyed == 3 ? 0 : 1;
}

int keeps_errno() {
  errno = 73;
  probed(1);
  return errno == 73 ? 0 : 1;
}

int exits_hard() {
  probed(1);
  _exit(23);
}
int crashes() {
  probed(1);
  *reinterpret_cast<volatile int*>(8) = 1;
  return 0;
}
int executes() {
  probed(1);
  execl("/bin/sh", "sh", "-c", "env | grep -E 'LD_PRELOAD|CALLPATH_AGENT' && exit 4; exit 31", nullptr);
  return 1;
}
int executes_before() {
  execl("/bin/sh", "sh", "-c", "exit 32", nullptr);
  return probed(1);
}

/// The program's own business with SIGTRAP goes on as if it were alone with it.
volatile sig_atomic_t own_traps = 0;
void own_handler(int) { own_traps = own_traps + 1; }
int own_sigtrap() {
  struct sigaction before = {}, action = {}, after = {};
  if (sigaction(SIGTRAP, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return 1;
  action.sa_handler = own_handler;
  sigaction(SIGTRAP, &action, nullptr);
  raise(SIGTRAP);
  if (own_traps != 1) return 2;
  asm volatile("int3");
  if (own_traps != 2) return 3;
  if (probed(1) != 2 || own_traps != 2) return 4;
  sigaction(SIGTRAP, nullptr, &after);
  if (after.sa_handler != own_handler) return 5;
  signal(SIGTRAP, SIG_IGN);
  raise(SIGTRAP);
  return signal(SIGTRAP, SIG_DFL) == SIG_IGN ? 0 : 6;
}
int dies_by_own_trap() {
  probed(1);
  asm volatile("int3");
  return 0;
}

/// A handler that asks for every signal to be blocked while it runs, and comes to the probe.
volatile sig_atomic_t in_handler = 0;
void probing_handler(int) { in_handler = probed(1); }
int hits_in_a_handler() {
  struct sigaction action = {}, after = {};
  action.sa_handler = probing_handler;
  sigfillset(&action.sa_mask);
  sigaction(SIGUSR1, &action, nullptr);
  sigaction(SIGUSR1, nullptr, &after);
  if (!sigismember(&after.sa_mask, SIGTRAP)) return 1;
  raise(SIGUSR1);
  return in_handler == 2 ? 0 : 2;
}

/// Prints the program counters of libgcc's walk from the caller of the probed function outward.
_Unwind_Reason_Code print_pc(_Unwind_Context* context, void*) {
  if (auto pc = _Unwind_GetIP(context)) std::printf("%lx\n", static_cast<unsigned long>(pc));
  return _URC_NO_REASON;
}
KEPT int probed_walk(int value) {
  if (value == 0) _Unwind_Backtrace(print_pc, nullptr);
  return value;
}
KEPT int recursion(int depth) { return depth == 0 ? probed_walk(0) : recursion(depth - 1) + 1; }
int walks() { return recursion(20) == 20 ? 0 : 1; }

int exits_late() {
  probed(1);
  usleep(300000);
  return 9;
}
int environment() { return std::getenv("LD_PRELOAD") || std::getenv("CALLPATH_AGENT_FD") || probed(1) != 2; }
int preload_of_the_user() {
  const char* value = std::getenv("LD_PRELOAD");
  return value && std::string(value) == "libm.so.6" && !std::getenv("CALLPATH_AGENT_FD") && probed(1) == 2 ? 0 : 1;
}
int descriptors() {
  int file = dup(0);
  int first_free = file;
  close(file);
  std::printf("%d\n", first_free);
  return probed(1) == 2 ? 0 : 1;
}

struct Program {
  const char* name;
  int (*run)();
};
const Program programs[] = {{"once", once},
                            {"threads", threads},
                            {"forks", forks},
                            {"forks_without_hit_of_its_own", forks_without_hit_of_its_own},
                            {"throws", throws},
                            {"errno", keeps_errno},
                            {"exits_hard", exits_hard},
                            {"crashes", crashes},
                            {"executes", executes},
                            {"executes_before", executes_before},
                            {"own_sigtrap", own_sigtrap},
                            {"dies_by_own_trap", dies_by_own_trap},
                            {"hits_in_a_handler", hits_in_a_handler},
                            {"walks", walks},
                            {"exits_late", exits_late},
                            {"environment", environment},
                            {"preload_of_the_user", preload_of_the_user},
                            {"descriptors", descriptors}};

}  // namespace

int main(int argc, char** argv) {
  for (const auto& program : programs)
    if (argc > 1 && std::strcmp(program.name, argv[1]) == 0) return program.run();
  return 99;
}
