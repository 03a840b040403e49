// The native stack of the calling thread, as numbers, written into memory of the caller's.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>

namespace callpath::capture {

/// One physical frame. `saved` holds the registers that a function must preserve, as they were while this frame ran.
struct Frame {
  enum Saved { rbx, rbp, r12, r13, r14, r15, saved_count };
  std::uint64_t pc = 0;  ///< Frame 0 and frames that a signal interrupted: the instruction. Others: the return address.
  std::uint64_t sp = 0;
  std::uint64_t cfa = 0;  ///< One past the frame's own part of the stack; 0 where it is not known (the last frame).
  std::uint64_t saved[saved_count] = {};
  std::uint32_t exact_pc = 0;  ///< 1 where pc is the instruction itself.
  std::uint32_t signal_trampoline = 0;
};

/// How a walk ended.
enum class End : std::uint32_t {
  reached_start,   ///< The thread's first function: nothing called it.
  no_unwind_info,  ///< The last frame's code has no unwind table.
  bad_stack,       ///< The stack pointer left readable memory or did not move outward.
  buffer_full,
  gave_up,  ///< The unwinder met unwind data that it cannot interpret.
};

struct Walk {
  std::size_t count = 0;
  End end = End::gave_up;
};

const char* text(End);

/// The table of modules in which unwind information is found. Walks see the table that was set last.
struct ModuleRange {
  std::uint64_t begin = 0, end = 0;              ///< Run-time range of all its segments.
  std::uint64_t eh_frame_hdr = 0, hdr_size = 0;  ///< Run-time address and size of PT_GNU_EH_FRAME; 0 if it has none.
  std::uint64_t identity = 0;                    ///< Tells files apart that are mapped at one place, one after the other.
};
constexpr std::size_t max_modules = 2048;

/// Replaces the table by a sorted copy. Not signal-safe, one caller at a time; walks in other threads and handlers may go on meanwhile.
/// Unwind rows that were kept stay if all that was in the table still is. False if there are more than max_modules (the first ones are
/// kept).
bool set_modules(const ModuleRange*, std::size_t count);

/// Fills the table with what is loaded now. Takes the loader's lock: never in a handler.
bool refresh_modules();

/// Walks from an interrupted context, which must be of the calling thread, or from the caller of `walk_here`.
/// Async-signal-safe: allocates nothing, takes no lock, calls nothing outside this library. Bad unwind data ends the walk, not the program.
/// A step that was taken before, from the same instruction, costs a few nanoseconds; the first one about a microsecond.
Walk walk(const ucontext_t& from, Frame* frames, std::size_t capacity);
Walk walk_here(Frame* frames, std::size_t capacity) asm("callpath_walk_here");

/// A frame at its shortest. Where the next one follows, its sp is this frame's CFA.
class Point {
 public:
  Point() = default;
  Point(std::uint64_t pc, std::uint64_t sp, bool exact) : pc_(pc), sp_(sp | (exact ? 1 : 0)) {}
  std::uint64_t pc() const { return pc_; }
  std::uint64_t sp() const { return sp_ & ~1ull; }
  bool exact_pc() const { return sp_ & 1; }

 private:
  std::uint64_t pc_ = 0, sp_ = 0;
};

/// As `walk` and `walk_here`, the same frames, without registers, and faster for it.
Walk trace(const ucontext_t& from, Point* points, std::size_t capacity);
Walk trace_here(Point* points, std::size_t capacity) asm("callpath_trace_here");

/// As `walk`, each step through LLVM's libunwind: what the others are compared with.
Walk walk_uncached(const ucontext_t& from, Frame* frames, std::size_t capacity);

/// Steps that went through LLVM's libunwind since the program started, and those among them that will again, because no row holds them.
struct SlowSteps {
  std::uint64_t all = 0, not_held = 0;
};
SlowSteps slow_steps();

}  // namespace callpath::capture
