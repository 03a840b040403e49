#include "agent/program_signals.hpp"

#include <dlfcn.h>
#include <errno.h>

#include "capture/syscall.hpp"

namespace callpath::agent {

__thread bool trap_is_blocked = false, trap_is_pending = false;
__thread siginfo_t pending_trap;

namespace {

using capture::system_call;

constexpr unsigned long trap_bit = 1ul << (SIGTRAP - 1);

bool in_place = false;
struct sigaction program_action = {};
bool masks_trap[_NSIG] = {};  ///< Which of the program's handlers asked for SIGTRAP to be blocked while they run.

using SigactionFunction = int (*)(int, const struct sigaction*, struct sigaction*);
using SignalFunction = sighandler_t (*)(int, sighandler_t);
using PendingFunction = int (*)(sigset_t*);
using WaitFunction = int (*)(const sigset_t*, siginfo_t*, const struct timespec*);
using MaskFunction = int (*)(int, const sigset_t*, sigset_t*);

/// libc's own function of a name that is defined here too.
template <class Function>
Function libc(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}
SigactionFunction libc_sigaction() {
  static auto function = libc<SigactionFunction>("sigaction");
  return function;
}

bool has_trap(const sigset_t& set) { return set.__val[0] & trap_bit; }
void put_trap(sigset_t& set, bool value) { set.__val[0] = value ? set.__val[0] | trap_bit : set.__val[0] & ~trap_bit; }

int trap_action(const struct sigaction* wanted, struct sigaction* previous) {
  struct sigaction before = program_action;
  if (wanted) program_action = *wanted;
  if (previous) *previous = before;
  return 0;
}

/// Any other signal's handler must not run with SIGTRAP blocked either.
int other_action(int number, const struct sigaction* wanted, struct sigaction* previous) {
  struct sigaction changed;
  bool known = number > 0 && number < _NSIG, masked_before = known && masks_trap[number];
  if (wanted) {
    changed = *wanted;
    put_trap(changed.sa_mask, false);
  }
  int answer = libc_sigaction()(number, wanted ? &changed : nullptr, previous);
  if (answer != 0 || !known) return answer;
  if (previous && masked_before) put_trap(previous->sa_mask, true);
  if (wanted) masks_trap[number] = has_trap(wanted->sa_mask);
  return answer;
}

void deliver_pending() {
  if (trap_is_blocked || !trap_is_pending) return;
  trap_is_pending = false;
  system_call(SYS_tgkill, system_call(SYS_getpid), system_call(SYS_gettid), SIGTRAP);
}

int change_mask(MaskFunction function, int how, const sigset_t* set, sigset_t* previous) {
  if (!in_place) return function(how, set, previous);
  sigset_t changed;
  bool before = trap_is_blocked, after = before;
  if (set) {
    changed = *set;
    bool named = has_trap(changed);
    if (how == SIG_SETMASK)
      after = named;
    else if (named)
      after = how == SIG_BLOCK;
    put_trap(changed, how == SIG_UNBLOCK);
  }
  int answer = function(how, set ? &changed : nullptr, previous);
  if (answer != 0) return answer;
  if (previous && before) put_trap(*previous, true);
  trap_is_blocked = after;
  deliver_pending();
  return answer;
}

/// Takes the SIGTRAP that waits for this thread, if `set` names it. (One that comes during the wait is the kernel's to give: it looks at
/// the set before it runs a handler.)
bool take_pending(const sigset_t& set, siginfo_t* info) {
  if (!in_place || !trap_is_pending || !has_trap(set)) return false;
  trap_is_pending = false;
  if (info) *info = pending_trap;
  return true;
}

int wait_for(const sigset_t* set, siginfo_t* info, const struct timespec* at_most) {
  static auto function = libc<WaitFunction>("sigtimedwait");
  return take_pending(*set, info) ? SIGTRAP : function(set, info, at_most);
}

}  // namespace

bool replace_trap_action(const struct sigaction& handler) {
  struct sigaction before;
  if (libc_sigaction()(SIGTRAP, &handler, &before) != 0) return false;
  if (before.sa_sigaction != handler.sa_sigaction) program_action = before;  // Not ours, of an earlier session.
  return in_place = true;
}

const struct sigaction& program_trap_action() { return program_action; }

}  // namespace callpath::agent

using namespace callpath::agent;

extern "C" {

#define CALLPATH_FOR_PROGRAM __attribute__((visibility("default")))

CALLPATH_FOR_PROGRAM int sigaction(int number, const struct sigaction* wanted, struct sigaction* previous) noexcept {
  if (!in_place) return libc_sigaction()(number, wanted, previous);
  return number == SIGTRAP ? trap_action(wanted, previous) : other_action(number, wanted, previous);
}

CALLPATH_FOR_PROGRAM sighandler_t signal(int number, sighandler_t handler) noexcept {
  static auto function = libc<SignalFunction>("signal");
  if (number != SIGTRAP || !in_place) return function(number, handler);
  struct sigaction wanted = {}, previous;
  wanted.sa_handler = handler;
  wanted.sa_flags = SA_RESTART;
  trap_action(&wanted, &previous);
  return previous.sa_handler;
}

CALLPATH_FOR_PROGRAM int sigprocmask(int how, const sigset_t* set, sigset_t* previous) noexcept {
  static auto function = libc<MaskFunction>("sigprocmask");
  return change_mask(function, how, set, previous);
}

CALLPATH_FOR_PROGRAM int pthread_sigmask(int how, const sigset_t* set, sigset_t* previous) noexcept {
  static auto function = libc<MaskFunction>("pthread_sigmask");
  return change_mask(function, how, set, previous);
}

CALLPATH_FOR_PROGRAM int sigpending(sigset_t* set) noexcept {
  static auto function = libc<PendingFunction>("sigpending");
  int answer = function(set);
  if (answer == 0 && in_place && trap_is_pending) put_trap(*set, true);
  return answer;
}

CALLPATH_FOR_PROGRAM int sigtimedwait(const sigset_t* set, siginfo_t* info, const struct timespec* at_most) {
  return wait_for(set, info, at_most);
}

CALLPATH_FOR_PROGRAM int sigwaitinfo(const sigset_t* set, siginfo_t* info) { return wait_for(set, info, nullptr); }

/// As libc's, this one goes on waiting after an interruption and gives the error instead of -1.
CALLPATH_FOR_PROGRAM int sigwait(const sigset_t* set, int* number) {
  int answer;
  do answer = wait_for(set, nullptr, nullptr);
  while (answer < 0 && errno == EINTR);
  if (answer < 0) return errno;
  *number = answer;
  return 0;
}
}
