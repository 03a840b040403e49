#include "agent/trap.hpp"

#include <errno.h>
#include <signal.h>
#include <ucontext.h>

#include "agent/emulate.hpp"
#include "agent/no_signals.hpp"
#include "agent/operators.hpp"
#include "agent/program_signals.hpp"
#include "agent/rendezvous.hpp"
#include "capture/syscall.hpp"

namespace callpath::agent {
namespace {

using capture::system_call;
using capture::word;

constexpr int trap_from_int3 = 0x80;         // SI_KERNEL
constexpr int trap_from_perf = 6;            // TRAP_PERF
constexpr int trap_from_debug_register = 4;  // TRAP_HWBKPT
constexpr std::size_t kernel_set_size = 8;

/// The kernel's own form of a signal's action.
struct KernelAction {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)();
  unsigned long mask;
};

Shared* shared = nullptr;
long owner_pid = 0;
std::atomic<bool> session_gone{false};
std::uint32_t modules_seen = 0;
HitLock hit_lock;

Probe* find_probe(std::uint64_t address) {
  for (std::uint32_t slot = probe_slot(address);; slot = (slot + 1) % probe_slots) {
    std::uint16_t entry = shared->index[slot].load(std::memory_order_acquire);
    if (entry == 0) return nullptr;
    if (shared->probes[entry - 1].address == address) return &shared->probes[entry - 1];
  }
}

void copy_bytes(void* to, const void* from, std::size_t size) { asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory"); }

void keep_registers(Stop& stop, const ucontext_t& context) {
  constexpr int dwarf_order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                                 REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  for (int i = 0; i < 17; ++i) stop.registers[i] = static_cast<std::uint64_t>(context.uc_mcontext.gregs[dwarf_order[i]]);
}

/// The kernel stores the whole XSAVE area behind the legacy part and says its size in a field that the hardware leaves to software.
void keep_vectors(Stop& stop, const ucontext_t& context) {
  constexpr std::uint32_t magic = 0x46505853, legacy_size = 512, software_bytes = 464;
  const auto* area = reinterpret_cast<const std::uint8_t*>(context.uc_mcontext.fpregs);
  stop.vector_size = 0;
  if (!area) return;
  std::uint32_t said[5];
  copy_bytes(said, area + software_bytes, sizeof said);
  std::uint32_t size = said[0] == magic ? said[4] : legacy_size;
  stop.vector_size = size < sizeof stop.vectors ? size : sizeof stop.vectors;
  copy_bytes(stop.vectors, area, stop.vector_size);
}

void use_session_modules() {
  std::uint32_t version = shared->module_version.load(std::memory_order_acquire);
  if (version == modules_seen) return;
  capture::set_modules(shared->modules, shared->module_count);
  modules_seen = version;
}

/// Tells the session where this thread stands, and waits for its word. With `walks` the stack is captured.
void publish(StopKind kind, ucontext_t& context, bool walks) {
  Stop& stop = shared->stop;
  stop.kind = kind;
  stop.pid = static_cast<std::int32_t>(owner_pid);
  stop.tid = static_cast<std::int32_t>(system_call(SYS_gettid));
  keep_registers(stop, context);
  stop.frame_count = 0;
  if (walks) {
    keep_vectors(stop, context);
    use_session_modules();
    auto walk = capture::walk(context, shared->frames, max_frames);
    stop.frame_count = static_cast<std::uint32_t>(walk.count);
    stop.end = walk.end;
  }
  if (!stop_here(*shared)) session_gone = true;
}

void publish(const Probe& probe, ucontext_t& context, bool busy) {
  Stop& stop = shared->stop;
  stop.probe = static_cast<std::uint32_t>(&probe - shared->probes);
  stop.busy = busy;
  stop.target = probe.role == Role::exit ? target_of(probe, context) : 0;
  publish(StopKind::probe, context, probe.walks && !busy);
}

bool session_listens() { return !session_gone && !shared->detached.load(std::memory_order_acquire); }

bool is_known(std::uint64_t target) {
  for (std::uint32_t slot = probe_slot(target);; slot = (slot + 1) % probe_slots) {
    const std::uint64_t entry = shared->known[slot].load(std::memory_order_acquire);
    if (entry == 0 || entry == target) return entry != 0;
  }
}

/// Whether the session wants to hear of this hit, by the probe's role.
bool asked_for(const Probe& probe, const ucontext_t& context) {
  if (probe.role == Role::stop) return true;
  if (system_call(SYS_gettid) != shared->followed_thread.load(std::memory_order_acquire)) return false;
  if (probe.role == Role::entry) return true;
  const std::uint64_t target = target_of(probe, context);
  return !is_known(target) && !(probe.own_begin <= target && target < probe.own_end);
}

enum class Word { none, hit, busy };

Word wanted(Probe& probe, const ucontext_t& context) {
  if (!session_listens() || !probe.stops.load(std::memory_order_acquire)) return Word::none;
  if (asked_for(probe, context)) return Word::hit;
  return probe.passes.fetch_add(1) == most_passes ? Word::busy : Word::none;
}

/// A forked child has the probes in its copy of the text, but nobody who asked: it goes on over them.
bool in_owner() { return system_call(SYS_getpid) == owner_pid; }

/// This thread's entry in Shared::inside, so that the session does not take the handler's mask for the program's.
class Inside {
 public:
  Inside() {
    auto tid = static_cast<std::int32_t>(system_call(SYS_gettid));
    for (auto& entry : shared->inside) {
      std::int32_t free = 0;
      if (!entry.compare_exchange_strong(free, tid)) continue;
      mine_ = &entry;
      return;
    }
  }
  ~Inside() {
    if (mine_) mine_->store(0, std::memory_order_release);
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  std::atomic<std::int32_t>* mine_ = nullptr;
};

void on_probe(Probe& probe, ucontext_t& context) {
  context.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(probe.address);
  if (const Word word = wanted(probe, context); word != Word::none && in_owner()) {
    Inside here;
    hit_lock.acquire();
    if (session_listens() && probe.stops.load(std::memory_order_acquire)) publish(probe, context, word == Word::busy);
    hit_lock.release();
  }
  resume_behind(probe, context);
}

/// The processor traps behind the instruction that touched the watched place: there is nothing to do in its stead.
void on_watch(ucontext_t& context) {
  if (!session_listens() || !shared->watching.load(std::memory_order_acquire) || !in_owner()) return;
  Inside here;
  hit_lock.acquire();
  if (session_listens() && shared->watching.load(std::memory_order_acquire)) publish(StopKind::watch, context, true);
  hit_lock.release();
}

bool is_watch(const siginfo_t& info) {
  if (info.si_code == trap_from_debug_register) return shared->has_watched.load(std::memory_order_acquire);
  constexpr std::size_t perf_data = 24;  // of siginfo_t; older headers do not name it
  std::uint64_t mark = 0;
  copy_bytes(&mark, reinterpret_cast<const char*>(&info) + perf_data, sizeof mark);
  return info.si_code == trap_from_perf && mark == watch_mark;
}

/// As if we had not been there: the default action ends the process by SIGTRAP, at the place where it came.
void die_by_trap() {
  KernelAction action = {};
  system_call(SYS_rt_sigaction, SIGTRAP, word(&action), 0, kernel_set_size);
  system_call(SYS_tgkill, system_call(SYS_getpid), system_call(SYS_gettid), SIGTRAP);
  unsigned long trap = 1ul << (SIGTRAP - 1);
  system_call(SYS_rt_sigprocmask, SIG_UNBLOCK, word(&trap), 0, kernel_set_size);
}

void to_program(int number, siginfo_t* info, void* context) {
  bool sent = info->si_code <= 0;  // By kill and its kin; the kernel's own traps can be neither ignored nor put off.
  if (sent && trap_is_blocked) {
    if (!trap_is_pending) copy_bytes(&pending_trap, info, sizeof pending_trap);  // A second one is the first: they do not queue.
    trap_is_pending = true;
    return;
  }
  const auto& program_action = program_trap_action();
  if (program_action.sa_handler == SIG_IGN && sent) return;
  if (program_action.sa_handler == SIG_IGN || program_action.sa_handler == SIG_DFL) return die_by_trap();
  if (program_action.sa_flags & SA_SIGINFO)
    program_action.sa_sigaction(number, info, context);
  else
    program_action.sa_handler(number);
}

void on_trap(int number, siginfo_t* info, void* data) {
  auto& context = *static_cast<ucontext_t*>(data);
  Probe* probe = nullptr;
  if (info->si_code == trap_from_int3) probe = find_probe(static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RIP]) - 1);
  if (probe)
    on_probe(*probe, context);
  else if (is_watch(*info))
    on_watch(context);
  else
    to_program(number, info, data);
}

std::uint64_t restorer_in_use() {
  KernelAction action = {};
  system_call(SYS_rt_sigaction, SIGTRAP, 0, word(&action), kernel_set_size);
  return reinterpret_cast<std::uint64_t>(action.restorer);
}

}  // namespace

bool install(Shared& memory) {
  shared = &memory;
  session_gone = false;
  modules_seen = 0;
  owner_pid = system_call(SYS_getpid);
  struct sigaction action = {};
  action.sa_sigaction = on_trap;
  action.sa_flags = SA_SIGINFO | SA_RESTART;  // On the thread's own stack: an alternate one may be too small for AVX-512's frame.
  for (auto& part : action.sa_mask.__val) part = ~0ul;
  if (!replace_trap_action(action)) return false;
  memory.restorer = restorer_in_use();
  memory.operator_function = reinterpret_cast<std::uint64_t>(&on_operator);
  memory.agent_begin = memory.agent_end = reinterpret_cast<std::uint64_t>(&on_trap);
  return true;
}

bool wants_operator(const char* name) {
  if (!shared || session_gone || shared->detached.load(std::memory_order_acquire)) return false;
  return glob_matches(shared->operator_glob, name) && in_owner();
}

void stop_at_operator(const char* name) {
  Inside here;
  hit_lock.acquire();
  Stop& stop = shared->stop;
  stop.kind = StopKind::operator_call;
  stop.pid = static_cast<std::int32_t>(owner_pid);
  stop.tid = static_cast<std::int32_t>(system_call(SYS_gettid));
  std::size_t size = 0;
  for (; size + 1 < operator_name_size && name[size]; ++size) stop.operator_name[size] = name[size];
  stop.operator_name[size] = '\0';
  stop.vector_size = 0;
  use_session_modules();
  const auto walk = capture::walk_here(shared->frames, max_frames);
  stop.frame_count = static_cast<std::uint32_t>(walk.count);
  stop.end = walk.end;
  if (!shared->detached.load(std::memory_order_acquire) && !stop_here(*shared)) session_gone = true;
  hit_lock.release();
}

bool started_by_session() { return shared && !shared->session_is_child; }

void forget_session() { session_gone = true; }

bool stop_by_itself(StopKind kind) {
  if (!in_owner()) return false;  // A forked child: the session is its parent's.
  const auto none = NoSignals::but_trap();
  hit_lock.acquire();
  shared->stop.kind = kind;
  shared->stop.pid = static_cast<std::int32_t>(owner_pid);
  shared->stop.tid = static_cast<std::int32_t>(system_call(SYS_gettid));
  const bool answered = !session_gone && stop_here(*shared);
  if (!answered) session_gone = true;
  hit_lock.release();
  return answered;
}

}  // namespace callpath::agent
