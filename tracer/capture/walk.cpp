#include "capture/capture.hpp"
#include "capture/row_cache.hpp"
#include "capture/stack_reach.hpp"
#include "capture/step.hpp"
#include "capture/walker.hpp"

namespace callpath::capture {

RowCache row_cache;

namespace {

__thread StackReach stack_reach;

constexpr bool use_rows = true;

struct Walker {
  Frame* frames;  ///< Or null, where points are wanted.
  Point* points;
  std::size_t capacity;
  FrameRegisters now;
  const ucontext_t* interrupted;  ///< Null for a frame that called.
  std::uint64_t salt = row_cache.salt();
  StackReach reach = kept_reach();
  Frame scratch = {};
  std::size_t count = 0;
  RowCache::Entry* callee = nullptr;  ///< The entry that the last step used.
  std::uint64_t callee_word = 0;

  std::uint64_t lookup() const { return interrupted ? now.pc : now.pc - 1; }
};

enum class Next { frame, done };

std::uint64_t word_at(std::uint64_t address) { return *reinterpret_cast<const std::uint64_t*>(address); }

Frame& add_frame(Walker& w) {
  if (w.points) w.points[w.count] = Point(w.now.pc, w.now.sp, w.interrupted != nullptr);
  Frame& frame = w.frames ? w.frames[w.count] : w.scratch;
  ++w.count;
  frame.pc = w.now.pc;
  frame.sp = w.now.sp;
  frame.cfa = 0;
#pragma GCC unroll 6
  for (int i = 0; i < carried; ++i) frame.saved[i] = w.now.saved[i];
  frame.exact_pc = w.interrupted != nullptr;
  frame.signal_trampoline = 0;
  return frame;
}

/// What a signal interrupted is read from the context that the kernel left on the stack, not by stepping: the unwinder would look up the
/// interrupted instruction minus one, and where that was the first of its function, find nothing (libunwind/libunwind#1059).
bool behind_signal(Walker& w, Frame& trampoline) {
  const auto* interrupted = reinterpret_cast<const ucontext_t*>(trampoline.sp);
  if (!readable(trampoline.sp) || !readable(reinterpret_cast<std::uint64_t>(&interrupted->uc_mcontext.gregs[REG_EFL]))) return false;
  w.interrupted = interrupted;
  w.now = registers_of(*interrupted);
  trampoline.signal_trampoline = 1;
  if (w.now.sp > trampoline.sp) trampoline.cfa = w.now.sp;
  w.reach.start(w.now.sp);
  return true;
}

/// The row of the frame, if one is kept.
RowCache::Entry* kept(Walker& w, std::uint64_t& word) {
  if (w.callee) {
    RowCache::Entry& predicted = row_cache.predicted(w.callee_word);
    if (RowCache::fits(predicted, w.lookup(), w.salt, word)) return &predicted;
  }
  RowCache::Entry* entry = row_cache.find(w.lookup(), w.salt, word);
  if (entry && w.callee) row_cache.predict(*w.callee, w.callee_word, *entry);
  return entry;
}

/// At a function's last instruction compilers leave the rules as they were, though rbp is the caller's again: as are all the others then.
bool take_slots_at_rbp(Walker& w, Row row, std::uint64_t sp, std::uint64_t cfa) {
  const std::uint64_t rbp = w.now.saved[rbp_index];
  if (w.interrupted && (rbp < sp || rbp >= cfa)) return true;
  if (!w.reach.holds(rbp) || rbp >= cfa) return false;
  for (int i = 0; i < carried; ++i)
    if (row.slot(i)) w.now.saved[i] = word_at(row.slot_address(i, cfa, rbp));
  return true;
}

/// By a row. False where the words that it speaks of are out of reach.
bool follow(Walker& w, Row row) {
  std::uint64_t cfa = (row.base() == Row::rsp ? w.now.sp : w.now.saved[row.base()]) + static_cast<std::uint64_t>(row.cfa_offset());
  if (row.cfa_is_stored()) {
    if (cfa < w.now.sp || !w.reach.reach(cfa)) return false;
    cfa = word_at(cfa);
  }
  if (cfa <= w.now.sp || !w.reach.reach(cfa - 8)) return false;
  const std::uint64_t sp = w.now.sp;
  w.now.pc = word_at(cfa - 8);
  w.now.sp = cfa;
  if (row.has_slots_at_rbp()) return take_slots_at_rbp(w, row, sp, cfa);
#pragma GCC unroll 6
  for (int i = 0; i < carried; ++i) {
    const std::uint64_t* same = &w.now.saved[i];
    const auto* stored = reinterpret_cast<const std::uint64_t*>(cfa - 8 - 8 * row.slot(i));
    w.now.saved[i] = *(row.slot(i) ? stored : same);
  }
  return true;
}

End reason(Step::Result result) {
  switch (result) {
    case Step::last:
      return End::reached_start;
    case Step::no_unwind_info:
      return End::no_unwind_info;
    default:
      return End::gave_up;
  }
}

Next step_by(Row row, Walker& w, Frame& frame, End& end) {
  end = End::bad_stack;
  if (row.is_signal_frame()) return behind_signal(w, frame) ? Next::frame : Next::done;
  if (!follow(w, row)) return Next::done;
  frame.cfa = w.now.sp;
  w.interrupted = nullptr;
  end = End::reached_start;
  return row.is_last() || w.now.pc == 0 ? Next::done : Next::frame;
}

/// Through libunwind, leaving a row for the next time.
__attribute__((noinline)) Next slow_step(Walker& w, Frame& frame, bool rows, End& end) {
  end = End::bad_stack;
  if (!w.reach.reach(w.now.sp)) return Next::done;
  const Step step = step_out(w.now, w.interrupted);
  if (step.row && rows) {
    RowCache::Entry& entry = row_cache.insert(w.lookup(), w.salt, step.row);
    if (w.callee) row_cache.predict(*w.callee, w.callee_word, entry);
    w.callee = &entry;
    w.callee_word = step.row.bits();
  } else {
    w.callee = nullptr;
  }
  if (step.result == Step::row_only) return step_by(step.row, w, frame, end);
  if (step.result == Step::signal_frame) return behind_signal(w, frame) ? Next::frame : Next::done;
  if (step.result == Step::caller || step.result == Step::last) {
    if (step.caller_registers.sp <= frame.sp) return Next::done;
    frame.cfa = step.caller_registers.sp;
    w.now = step.caller_registers;
    w.interrupted = nullptr;
  }
  end = reason(step.result);
  return step.result == Step::caller ? Next::frame : Next::done;
}

inline Next step(Walker& w, Frame& frame, bool rows, End& end) {
  std::uint64_t word = 0;
  RowCache::Entry* entry = rows ? kept(w, word) : nullptr;
  if (!entry) return slow_step(w, frame, rows, end);
  w.callee = entry;
  w.callee_word = word;
  return step_by(Row(word), w, frame, end);
}

Walk run(Walker& w, bool rows) {
  Walk walk;
  if (!w.reach.start(w.now.sp)) w.reach = StackReach();
  for (;;) {
    if (w.count == w.capacity) {
      walk.end = End::buffer_full;
      break;
    }
    if (step(w, add_frame(w), rows, walk.end) == Next::done) break;
  }
  keep_reach(w.reach);
  walk.count = w.count;
  return walk;
}

}  // namespace

Walk walk(const ucontext_t& from, Frame* frames, std::size_t capacity) {
  Walker w{frames, nullptr, capacity, registers_of(from), &from};
  return run(w, use_rows);
}

Walk walk_uncached(const ucontext_t& from, Frame* frames, std::size_t capacity) {
  Walker w{frames, nullptr, capacity, registers_of(from), &from};
  return run(w, !use_rows);
}

Walk walk_points(const FrameRegisters& from, const ucontext_t* interrupted, Point* points, std::size_t capacity) {
  Walker w{nullptr, points, capacity, from, interrupted};
  return run(w, use_rows);
}

/// What here.S calls.
extern "C" __attribute__((visibility("hidden"), used)) Walk callpath_walk_from(const FrameRegisters& caller, Frame* frames,
                                                                               std::size_t capacity) {
  Walker w{frames, nullptr, capacity, caller, nullptr};
  return run(w, use_rows);
}

StackReach kept_reach() { return stack_reach; }

/// A handler that comes in between finds a reach of nothing, not a mixture.
void keep_reach(const StackReach& reach) {
  stack_reach = StackReach();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  stack_reach.begin_at(reach);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  stack_reach.size_as(reach);
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
