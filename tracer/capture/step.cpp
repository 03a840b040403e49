#include "capture/step.hpp"

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include <atomic>

#include "capture/cfi.hpp"
#include "capture/cfi_step.hpp"
#include "capture/module_table.hpp"
#include "capture/stack_reach.hpp"
#include "capture/unwind_support.hpp"

namespace callpath::capture {
namespace {

constexpr int carried_numbers[carried] = {UNW_X86_64_RBX, UNW_X86_64_RBP, UNW_X86_64_R12, UNW_X86_64_R13, UNW_X86_64_R14, UNW_X86_64_R15};
constexpr int carried_gregs[carried] = {REG_RBX, REG_RBP, REG_R12, REG_R13, REG_R14, REG_R15};

std::atomic<std::uint64_t> steps{0}, not_held{0};

/// The order in which LLVM keeps a context: that of its Registers_x86_64.
enum Kept { k_rbx = 1, k_rbp = 6, k_rsp = 7, k_r12 = 12, k_rip = 16, k_count = 18 };

/// Without a cursor's history the library takes a pc for the instruction itself, so that of a frame that called has to be inside the call.
void fill(unw_context_t& context, const FrameRegisters& frame, const ucontext_t* interrupted, std::uint64_t pc) {
  constexpr int order[k_count] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RDI, REG_RSI, REG_RBP, REG_RSP, REG_R8,
                                  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP, REG_EFL};
  auto* words = reinterpret_cast<std::uint64_t*>(&context);
  for (std::size_t i = 0; i < sizeof context / 8; ++i) words[i] = 0;
  if (interrupted)
    for (int i = 0; i < k_count; ++i) words[i] = static_cast<std::uint64_t>(interrupted->uc_mcontext.gregs[order[i]]);
  words[k_rbx] = frame.saved[0];
  words[k_rbp] = frame.saved[1];
  for (int i = 2; i < carried; ++i) words[k_r12 + i - 2] = frame.saved[i];
  words[k_rsp] = frame.sp;
  words[k_rip] = pc;
}

FrameRegisters registers_at(unw_cursor_t& cursor) {
  FrameRegisters r;
  auto get = [&](int number) {
    unw_word_t value = 0;
    unw_get_reg(&cursor, number, &value);
    return static_cast<std::uint64_t>(value);
  };
  r.pc = get(UNW_REG_IP);
  r.sp = get(UNW_REG_SP);
  for (int i = 0; i < carried; ++i) r.saved[i] = get(carried_numbers[i]);
  return r;
}

/// What the row makes of the frame. The unwinder has just read the same words: they are there.
FrameRegisters apply_row(Row row, const FrameRegisters& frame) {
  auto word_at = [](std::uint64_t address) { return *reinterpret_cast<const std::uint64_t*>(address); };
  FrameRegisters caller = frame;
  std::uint64_t cfa = (row.base() == Row::rsp ? frame.sp : frame.saved[row.base()]) + static_cast<std::uint64_t>(row.cfa_offset());
  if (row.cfa_is_stored()) cfa = word_at(cfa);
  caller.sp = cfa;
  caller.pc = word_at(cfa - 8);
  for (int i = 0; i < carried; ++i)
    if (row.slot(i)) caller.saved[i] = word_at(row.slot_address(i, cfa, frame.saved[rbp_index]));
  return caller;
}

/// True if everything that the row would read lies in the frame.
bool inside_frame(Row row, const FrameRegisters& frame, std::uint64_t cfa) {
  const std::uint64_t base = row.base() == Row::rsp ? frame.sp : frame.saved[row.base()];
  if (row.cfa_is_stored()) {
    const std::uint64_t place = base + static_cast<std::uint64_t>(row.cfa_offset());
    if (place < frame.sp || place >= cfa) return false;
  }
  for (int i = 0; i < carried; ++i) {
    const std::uint64_t place = row.slot_address(i, cfa, frame.saved[rbp_index]);
    if (row.slot(i) && (place < frame.sp || place >= cfa)) return false;
  }
  return true;
}

Row row_at(const unw_proc_info_t& info, std::uint64_t instruction) {
  ModuleRange module;
  if (!module_at(instruction, module) || !info.unwind_info) return Row();
  return read_row(info.unwind_info, info.start_ip, instruction, module.begin, module.end);
}

bool repeats(Row row, const FrameRegisters& frame, const Step& step) {
  if (row.is_signal_frame() || row.is_last() != (step.result == Step::last)) return false;
  if (!inside_frame(row, frame, step.caller_registers.sp)) return false;
  const FrameRegisters caller = apply_row(row, frame);
  return row.is_last() ? caller.sp == step.caller_registers.sp : caller == step.caller_registers;
}

/// The code that a handler returns to. It calls nothing, so its address is no return address: libunwind, which is told one inside a call
/// here, would look at the byte before it, where C libraries other than glibc have no unwind table.
bool is_signal_return(std::uint64_t pc) {
  constexpr std::uint8_t glibc[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}, musl[] = {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05};
  if (!readable(pc) || !readable(pc + sizeof glibc - 8)) return false;
  const auto* code = reinterpret_cast<const std::uint8_t*>(pc);
  return __builtin_memcmp(code, glibc, sizeof glibc) == 0 || __builtin_memcmp(code, musl, sizeof musl) == 0;
}

Step classify(unw_cursor_t& cursor, int answer, const FrameRegisters& frame, std::uint64_t asked_pc) {
  Step step;
  step.caller_registers = registers_at(cursor);
  if (answer < 0)
    step.result = Step::bad_data;
  else if (answer == 0 && step.caller_registers.pc == asked_pc && step.caller_registers.sp == frame.sp)
    step.result = Step::no_unwind_info;
  else if (step.caller_registers.pc == 0)
    step.result = Step::last;  // The rule of a thread's first function: its return address is undefined.
  else
    step.result = Step::caller;
  return step;
}

/// For entries that the library refuses whole, for one rule of a register that no walk carries (numpy's vector functions save mask
/// registers, whose numbers are above those it knows).
bool step_by_table(const FrameRegisters& frame, std::uint64_t pc, Step& step) {
  ModuleRange module;
  TableEntry entry;
  State state;
  if (!module_at(pc, module) || !find_entry(module, pc, entry)) return false;
  if (!read_state(entry.fde, entry.start, pc, module.begin, module.end, state)) return false;
  if (const Row row = read_row(entry.fde, entry.start, pc, module.begin, module.end)) {
    step.result = Step::row_only;
    step.row = row;
    return true;
  }
  bool last = false;
  if (!apply(state, pc, frame, step.caller_registers, last)) return false;
  step.result = last ? Step::last : Step::caller;
  return true;
}

void take_step(const FrameRegisters& frame, const ucontext_t* interrupted, Step& step) {
  constexpr std::uint64_t first_of_two = 7;  // bytes: at its second instruction the stack is as at its first
  if (is_signal_return(frame.pc) || (interrupted && is_signal_return(frame.pc - first_of_two))) {
    step.result = Step::signal_frame;
    step.row = Row::signal_frame();
    return;
  }
  unw_context_t context;
  unw_cursor_t cursor;
  unw_proc_info_t info = {};
  std::uint64_t pc = interrupted ? frame.pc : frame.pc - 1;
  fill(context, frame, interrupted, pc);
  if (unw_init_local(&cursor, &context) != 0) return;
  const bool known = unw_get_proc_info(&cursor, &info) == 0;
  if (known && (pc < info.start_ip || pc >= info.end_ip)) {  // the entry before, however far: padding between functions has none
    step.result = Step::no_unwind_info;
    return;
  }
  if (!known && step_by_table(frame, pc, step)) return;
  const Row row = known ? row_at(info, pc) : Row();
  if (interrupted && row) {
    step.result = Step::row_only;
    step.row = row;
    return;
  }
  if (interrupted && step_by_table(frame, pc, step)) return;
  if (interrupted && known && pc + 1 < info.end_ip) {
    fill(context, frame, interrupted, ++pc);
    unw_init_local(&cursor, &context);
  }
  step = classify(cursor, unw_step(&cursor), frame, pc);
  if (step.result == Step::bad_data && step_by_table(frame, pc, step)) return;
  if (row && (step.result == Step::caller || step.result == Step::last) && repeats(row, frame, step)) step.row = row;
}

}  // namespace

FrameRegisters registers_of(const ucontext_t& context) {
  FrameRegisters r;
  r.pc = static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
  r.sp = static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RSP]);
  for (int i = 0; i < carried; ++i) r.saved[i] = static_cast<std::uint64_t>(context.uc_mcontext.gregs[carried_gregs[i]]);
  return r;
}

/// Apart, because of __builtin_setjmp: data on which the unwinder would abort comes back here.
__attribute__((noinline)) Step step_out(const FrameRegisters& frame, const ucontext_t* interrupted) {
  Step step;
  void* here[5];
  void** outer = give_up_to;
  if (__builtin_setjmp(here) == 0) {
    give_up_to = here;
    take_step(frame, interrupted, step);
  } else {
    step.result = Step::bad_data;
  }
  give_up_to = outer;
  steps.fetch_add(1, std::memory_order_relaxed);
  if (!step.row) not_held.fetch_add(1, std::memory_order_relaxed);
  return step;
}

SlowSteps slow_steps() { return {steps.load(std::memory_order_relaxed), not_held.load(std::memory_order_relaxed)}; }

}  // namespace callpath::capture
