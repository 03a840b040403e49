#define UNW_LOCAL_ONLY
#include <errno.h>
#include <libunwind.h>
#include <sys/uio.h>

#include "capture/capture.hpp"
#include "capture/syscall.hpp"
#include "capture/unwind_support.hpp"

namespace callpath::capture {
namespace {

constexpr std::uint64_t page_size = 4096;
constexpr int saved_numbers[] = {UNW_X86_64_RBX, UNW_X86_64_RBP, UNW_X86_64_R12, UNW_X86_64_R13, UNW_X86_64_R14, UNW_X86_64_R15};

/// Asks the kernel to copy a word from there, so that an address that is not mapped is an answer instead of a fault. Where a sandbox
/// forbids the call, the address is taken on trust.
bool readable(std::uint64_t address) {
  std::uint64_t value;
  iovec to{&value, sizeof value}, from{reinterpret_cast<void*>(address), sizeof value};
  long pid = system_call(SYS_getpid);
  return system_call(SYS_process_vm_readv, pid, word(&to), 1, word(&from), 1, 0) != -EFAULT;
}

struct Walker {
  Frame* frames;
  std::size_t capacity;
  Walk result;
  unw_cursor_t cursor;
  bool exact = true;
  std::uint64_t checked_page = 0;

  std::uint64_t get(int number) {
    unw_word_t value = 0;
    unw_get_reg(&cursor, number, &value);
    return value;
  }
  bool stack_readable(std::uint64_t sp) {
    std::uint64_t last = (sp + 7) / page_size;
    if (last == checked_page) return true;
    if (!readable(sp)) return false;
    checked_page = last;
    return true;
  }
};

Frame* add_frame(Walker& w) {
  if (w.result.count == w.capacity) return nullptr;
  Frame& frame = w.frames[w.result.count++];
  frame = Frame{};
  frame.pc = w.get(UNW_REG_IP);
  frame.sp = w.get(UNW_REG_SP);
  for (int i = 0; i < Frame::saved_count; ++i) frame.saved[i] = w.get(saved_numbers[i]);
  frame.exact_pc = w.exact;
  w.exact = false;
  return &frame;
}

/// The order in which LLVM keeps a context: that of its Registers_x86_64.
void fill(unw_context_t& context, const ucontext_t& from) {
  constexpr int order[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RDI, REG_RSI, REG_RBP, REG_RSP, REG_R8,
                           REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP, REG_EFL};
  auto* words = reinterpret_cast<std::uint64_t*>(&context);
  for (std::size_t i = 0; i < sizeof context / 8; ++i) words[i] = 0;
  for (int i = 0; i < 18; ++i) words[i] = static_cast<std::uint64_t>(from.uc_mcontext.gregs[order[i]]);
}

/// What a signal interrupted is read from the context that the kernel left on the stack, not by stepping: the unwinder would look up the
/// interrupted instruction minus one, and where that was the first of its function, find nothing (libunwind/libunwind#1059).
bool restart_behind_signal(Walker& w, Frame& trampoline) {
  const auto* interrupted = reinterpret_cast<const ucontext_t*>(trampoline.sp);
  if (!readable(trampoline.sp) || !readable(reinterpret_cast<std::uint64_t>(&interrupted->uc_mcontext.gregs[REG_EFL]))) return false;
  unw_context_t context;
  fill(context, *interrupted);
  unw_init_local(&w.cursor, &context);
  trampoline.signal_trampoline = 1;
  std::uint64_t sp = w.get(UNW_REG_SP);
  if (sp > trampoline.sp) trampoline.cfa = sp;
  w.exact = true;
  return true;
}

enum class Next { frame, done };

Next end(Walker& w, End why) {
  w.result.end = why;
  return Next::done;
}

/// From a frame that was just added to its caller.
Next step_out(Walker& w, Frame& frame) {
  if (!w.stack_readable(frame.sp)) return end(w, End::bad_stack);
  int step = unw_step(&w.cursor);
  // The library answers this for the frame that was just left, not for the one it stands at.
  if (unw_is_signal_frame(&w.cursor) > 0) return restart_behind_signal(w, frame) ? Next::frame : end(w, End::bad_stack);
  if (step < 0) return end(w, End::gave_up);
  std::uint64_t pc = w.get(UNW_REG_IP), sp = w.get(UNW_REG_SP);
  if (step == 0 && pc == frame.pc && sp == frame.sp) return end(w, End::no_unwind_info);
  if (sp <= frame.sp) return end(w, End::bad_stack);
  frame.cfa = sp;
  if (pc == 0) return end(w, End::reached_start);  // The rule of a thread's first function: its return address is undefined.
  if (step > 0) return Next::frame;
  return end(w, add_frame(w) ? End::no_unwind_info : End::buffer_full);
}

void follow(Walker& w) {
  for (;;) {
    Frame* frame = add_frame(w);
    if (!frame) return void(end(w, End::buffer_full));
    if (step_out(w, *frame) == Next::done) return;
  }
}

/// Runs `follow` so that data on which the unwinder would abort ends the walk. Apart, because of __builtin_setjmp.
__attribute__((noinline)) void follow_guarded(Walker& w) {
  void* here[5];
  void** outer = give_up_to;
  if (__builtin_setjmp(here) == 0) {
    give_up_to = here;
    follow(w);
  } else {
    w.result.end = End::gave_up;
  }
  give_up_to = outer;
}

}  // namespace

Walk walk(const ucontext_t& from, Frame* frames, std::size_t capacity) {
  Walker w{frames, capacity, {}, {}};
  unw_context_t context;
  fill(context, from);
  unw_init_local(&w.cursor, &context);
  follow_guarded(w);
  return w.result;
}

__attribute__((noinline)) Walk walk_here(Frame* frames, std::size_t capacity) {
  Walker w{frames, capacity, {}, {}};
  unw_context_t context;
  unw_getcontext(&context);
  unw_init_local(&w.cursor, &context);
  if (unw_step(&w.cursor) <= 0) return w.result;
  w.exact = false;
  follow_guarded(w);
  return w.result;
}

const char* text(End end) {
  switch (end) {
    case End::reached_start:
      return "the thread's start was reached";
    case End::no_unwind_info:
      return "the outermost frame's code has no unwind information";
    case End::bad_stack:
      return "the stack could not be followed further: the stack pointer left readable memory or did not move outward";
    case End::buffer_full:
      return "the stack is deeper than the capture's buffer";
    case End::gave_up:
      return "unwind information could not be interpreted";
  }
  return "";
}

}  // namespace callpath::capture
