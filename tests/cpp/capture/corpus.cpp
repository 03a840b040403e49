// Compares our walks with libgcc's in whatever program loads this: at every instruction of a stretch (by single-stepping), or when a timer
// says so. tests/python/test_capture_corpus.py calls it through ctypes.
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <cstdint>
#include <iterator>

#include "capture/capture.hpp"

namespace {

namespace capture = callpath::capture;
constexpr std::size_t most = 2048, most_places = 1 << 16, most_wrong = 20;
constexpr long trap_flag = 0x100;

/// What one comparison works with.
struct Workspace {
  capture::Frame frames[most];
  capture::Point points[most];
  std::uint64_t libgcc[most];
  std::size_t libgcc_count = 0;
  std::atomic<bool> taken{false};
};
Workspace workspaces[32];
thread_local long steps_left __attribute__((tls_model("initial-exec"))) = 0;

std::atomic<std::uint64_t> compared{0}, frames_compared{0}, wrong{0}, incomplete{0}, through_signals{0};
std::atomic<std::uint64_t> places[most_places];
std::atomic<std::int64_t> thread_ids[64];
char complaints[most_wrong][4096];

void note_place(std::uint64_t pc) {
  for (std::uint64_t i = 0, at = pc * 0x9E3779B97F4A7C15ull >> 48; i < 64; ++i, at = (at + 1) % most_places) {
    std::uint64_t there = 0;
    if (places[at].compare_exchange_strong(there, pc) || there == pc) return;
  }
}

void note_thread() {
  const std::int64_t me = syscall(SYS_gettid);
  for (auto& id : thread_ids) {
    std::int64_t free = 0;
    if (id.compare_exchange_strong(free, me) || free == me) return;
  }
}

_Unwind_Reason_Code add(_Unwind_Context* context, void* data) {
  auto& w = *static_cast<Workspace*>(data);
  if (w.libgcc_count == most) return _URC_END_OF_STACK;
  w.libgcc[w.libgcc_count++] = _Unwind_GetIP(context);
  return _URC_NO_REASON;
}

void complain(const Workspace& w, std::size_t first, const capture::Walk& walk, const capture::Walk& trace) {
  const auto number = wrong.fetch_add(1);
  if (number >= most_wrong) return;
  char* text = complaints[number];
  Dl_info info = {};
  dladdr(reinterpret_cast<void*>(w.frames[0].pc), &info);
  std::size_t used = static_cast<std::size_t>(snprintf(text, 4096, "%s+%#lx %s: walk %zu (%s), trace %zu (%s), libgcc %zu:", info.dli_fname,
                                                       w.frames[0].pc - reinterpret_cast<std::uint64_t>(info.dli_fbase),
                                                       info.dli_sname ? info.dli_sname : "?", walk.count, capture::text(walk.end),
                                                       trace.count, capture::text(trace.end), w.libgcc_count - first));
  for (std::size_t i = 0; i < 40 && used < 3900; ++i) {
    const auto at = [&](bool there, std::uint64_t pc) { return there ? pc : 0; };
    used += static_cast<std::size_t>(snprintf(text + used, 4096 - used, " %lx/%lx/%lx", at(i < walk.count, w.frames[i].pc),
                                              at(i < trace.count, w.points[i].pc()), at(first + i < w.libgcc_count, w.libgcc[first + i])));
  }
}

void compare(const ucontext_t& context) {
  Workspace* free = workspaces;
  while (free != std::end(workspaces) && free->taken.exchange(true)) ++free;
  if (free == std::end(workspaces)) return;
  Workspace& w = *free;
  const auto pc = static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
  const auto walk = capture::walk(context, w.frames, most);
  const auto trace = capture::trace(context, w.points, most);
  w.libgcc_count = 0;
  _Unwind_Backtrace(add, &w);
  while (w.libgcc_count > 0 && w.libgcc[w.libgcc_count - 1] == 0) --w.libgcc_count;
  std::size_t first = 0;
  while (first < w.libgcc_count && w.libgcc[first] != pc) ++first;

  bool same = walk.count == w.libgcc_count - first && trace.count == walk.count && trace.end == walk.end;
  for (std::size_t i = 0; same && i < walk.count; ++i) {
    const auto& frame = w.frames[i];
    const auto& point = w.points[i];
    same = frame.pc == w.libgcc[first + i] && point.pc() == frame.pc && point.sp() == frame.sp && point.exact_pc() == (frame.exact_pc != 0);
    through_signals += frame.signal_trampoline;
  }
  if (!same) complain(w, first, walk, trace);
  if (walk.end != capture::End::reached_start) ++incomplete;
  ++compared;
  frames_compared += walk.count;
  note_place(pc);
  note_thread();
  w.taken = false;
}

void on_step(int, siginfo_t*, void* data) {
  auto& context = *static_cast<ucontext_t*>(data);
  if (steps_left <= 0) {
    context.uc_mcontext.gregs[REG_EFL] &= ~trap_flag;
    return;
  }
  --steps_left;
  compare(context);
  context.uc_mcontext.gregs[REG_EFL] |= trap_flag;
}

void on_nested(int, siginfo_t*, void* data) { compare(*static_cast<ucontext_t*>(data)); }

/// Every fourth time from under a second signal, so that the walk passes two trampolines.
void on_timer(int, siginfo_t*, void* data) {
  compare(*static_cast<ucontext_t*>(data));
  if (compared % 4 == 0) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR2);
}

void handle(int number, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(number, &action, nullptr);
}

}  // namespace

extern "C" {

/// To be called when everything is loaded.
void corpus_start() {
  capture::refresh_modules();
  handle(SIGTRAP, on_step);
  handle(SIGPROF, on_timer);
  handle(SIGUSR2, on_nested);
  _Unwind_Backtrace(add, &workspaces[0]);  // libgcc's own first time
}

/// The calling thread is stepped for so many instructions from here on.
void corpus_step(long instructions) {
  steps_left = instructions;
  syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGTRAP);
}
void corpus_stop_stepping() { steps_left = 0; }

/// Microseconds of processor time between two comparisons in any thread; 0 stops.
void corpus_timer(long microseconds) {
  itimerval every = {{0, microseconds}, {0, microseconds}};
  setitimer(ITIMER_PROF, &every, nullptr);
}

/// A JSON object of what was found.
int corpus_report(const char* file) {
  FILE* out = fopen(file, "w");
  if (!out) return -1;
  const auto slow = capture::slow_steps();
  int threads = 0;
  for (const auto& id : thread_ids) threads += id != 0;
  fprintf(out, "{\"compared\": %lu, \"frames\": %lu, \"wrong\": %lu, \"incomplete\": %lu, \"signals\": %lu, \"threads\": %d,",
          compared.load(), frames_compared.load(), wrong.load(), incomplete.load(), through_signals.load(), threads);
  fprintf(out, " \"slow\": %lu, \"not_held\": %lu, \"complaints\": [", slow.all, slow.not_held);
  for (std::size_t i = 0; i < most_wrong && i < wrong; ++i) fprintf(out, "%s\"%s\"", i ? ", " : "", complaints[i]);
  fprintf(out, "], \"places\": [");
  bool first = true;
  for (const auto& place : places) {
    Dl_info info;
    if (!place || !dladdr(reinterpret_cast<void*>(place.load()), &info)) continue;
    fprintf(out, "%s[\"%s\", %lu]", first ? "" : ", ", info.dli_fname, place - reinterpret_cast<std::uint64_t>(info.dli_fbase));
    first = false;
  }
  fprintf(out, "]}\n");
  return fclose(out);
}
}
