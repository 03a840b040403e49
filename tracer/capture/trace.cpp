// The walk at its shortest: of the registers only sp and rbp are carried, which nearly all rows make do with. Where a row wants more, or
// there is none yet, the whole walk is done again by the longer way, which leaves rows for the next time.
#include "capture/row_cache.hpp"
#include "capture/step.hpp"
#include "capture/walker.hpp"

namespace callpath::capture {
namespace {

std::uint64_t word_at(std::uint64_t address) { return *reinterpret_cast<const std::uint64_t*>(address); }

struct Tracer {
  std::uint64_t pc, sp, rbp;
  bool exact;
  StackReach reach = kept_reach();

  bool step(Row row) {
    if (row.is_plain()) [[likely]] {
      if (row.base() != Row::rsp && row.base() != rbp_index) return false;
      const std::uint64_t cfa = (row.base() == Row::rsp ? sp : rbp) + static_cast<std::uint64_t>(row.cfa_offset());
      return to_caller(cfa, row.slot(rbp_index) ? cfa - 8 - 8 * row.slot(rbp_index) : 0);
    }
    return row.is_signal_frame() ? behind_signal() : unusual_step(row);
  }

 private:
  /// `rbp_place` is 0 where rbp is as it was.
  bool to_caller(std::uint64_t cfa, std::uint64_t rbp_place) {
    if (cfa <= sp || !reach.reach(cfa - 8)) return false;
    pc = word_at(cfa - 8);
    rbp = rbp_place ? word_at(rbp_place) : rbp;
    sp = cfa;
    exact = false;
    return true;
  }

  bool unusual_step(Row row) {
    if (row.base() != Row::rsp && row.base() != rbp_index) return false;
    std::uint64_t cfa = (row.base() == Row::rsp ? sp : rbp) + static_cast<std::uint64_t>(row.cfa_offset());
    if (row.cfa_is_stored()) {
      if (cfa < sp || !reach.reach(cfa)) return false;
      cfa = word_at(cfa);
    }
    if (row.has_slots_at_rbp() && exact && (rbp < sp || rbp >= cfa)) return to_caller(cfa, 0);  // It is the caller's again.
    if (row.has_slots_at_rbp() && (!reach.holds(rbp) || rbp >= cfa)) return false;
    return to_caller(cfa, row.slot(rbp_index) ? row.slot_address(rbp_index, cfa, rbp) : 0);
  }

  bool behind_signal() {
    const auto* interrupted = reinterpret_cast<const ucontext_t*>(sp);
    if (!reach.reach(sp) || !reach.reach(reinterpret_cast<std::uint64_t>(&interrupted->uc_mcontext.gregs[REG_EFL]))) return false;
    const auto registers = registers_of(*interrupted);
    pc = registers.pc;
    sp = registers.sp;
    rbp = registers.saved[rbp_index];
    exact = true;
    return reach.start(sp);
  }
};

/// True if the walk came to its end.
bool try_rows(Tracer t, Point* points, std::size_t capacity, Walk& walk) {
  const std::uint64_t salt = row_cache.salt();
  RowCache::Entry* callee = nullptr;
  std::uint64_t callee_word = 0, word = 0;
  if (!t.reach.start(t.sp)) return false;
  for (std::size_t count = 0;;) {
    if (count == capacity) {
      walk = {count, End::buffer_full};
      break;
    }
    points[count++] = Point(t.pc, t.sp, t.exact);
    const std::uint64_t address = t.pc - (t.exact ? 0 : 1);
    RowCache::Entry* entry = &row_cache.predicted(callee_word);
    if (!RowCache::fits(*entry, address, salt, word)) {
      entry = row_cache.find(address, salt, word);
      if (!entry) return false;
      if (callee) row_cache.predict(*callee, callee_word, *entry);
    }
    callee = entry;
    callee_word = word;
    const Row row(word);
    if (row.is_last()) {
      walk = {count, End::reached_start};
      break;
    }
    if (!t.step(row)) return false;
  }
  keep_reach(t.reach);
  return true;
}

Walk trace_from(const FrameRegisters& from, const ucontext_t* interrupted, Point* points, std::size_t capacity) {
  Walk walk;
  if (try_rows({from.pc, from.sp, from.saved[rbp_index], interrupted != nullptr}, points, capacity, walk)) return walk;
  return walk_points(from, interrupted, points, capacity);
}

}  // namespace

Walk trace(const ucontext_t& from, Point* points, std::size_t capacity) { return trace_from(registers_of(from), &from, points, capacity); }

/// What here.S calls.
extern "C" __attribute__((visibility("hidden"), used)) Walk callpath_trace_from(const FrameRegisters& caller, Point* points,
                                                                                std::size_t capacity) {
  return trace_from(caller, nullptr, points, capacity);
}

}  // namespace callpath::capture
