// Walks of real stacks against libgcc's own unwinder.
#include <gtest/gtest.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "both.hpp"

extern "C" void faults_first_insn();
extern "C" void saves_mask_registers(void (*)());

namespace {

capture::Frame buffer[1 << 14];

struct Walks : testing::Test {
  void SetUp() override { ASSERT_TRUE(capture::refresh_modules()); }
};

TEST_F(Walks, OrdinaryStack) { expect_same(both_from_here(), 5); }

__attribute__((noinline)) Both deep(int levels) {
  if (levels == 0) return both_from_here();
  Both both = deep(levels - 1);
  asm volatile("" : : "r"(&both) : "memory");  // Not a tail call.
  return both;
}

TEST_F(Walks, DeepRecursion) { expect_same(deep(5000), 5001); }

Both from_callback;
int compare(const void*, const void*) {
  if (from_callback.ours.empty()) from_callback = both_from_here();
  return 0;
}

TEST_F(Walks, ThroughALibrarysCallback) {
  int numbers[] = {2, 1};
  std::qsort(numbers, 2, sizeof numbers[0], compare);
  expect_same(from_callback, 6);
}

TEST_F(Walks, AnotherThread) {
  pthread_t thread;
  Both both;
  auto body = [](void* to) -> void* { return *static_cast<Both*>(to) = both_from_here(), nullptr; };
  ASSERT_EQ(pthread_create(&thread, nullptr, body, &both), 0);
  pthread_join(thread, nullptr);
  expect_same(both, 3);
}

Both in_handler;
std::size_t trampoline_frames;
void handle(int) {
  in_handler = both_from_here();
  for (std::size_t i = 0; i < in_handler.walk.count; ++i) trampoline_frames += frame_buffer[i].signal_trampoline;
}

TEST_F(Walks, OutThroughASignalFrame) {
  signal(SIGUSR1, handle);
  raise(SIGUSR1);
  expect_same(in_handler, 7);
  EXPECT_EQ(trampoline_frames, 1u);
}

_Unwind_Reason_Code add_r12(_Unwind_Context* context, void* data) {
  constexpr int r12 = 12;
  if (_Unwind_GetIP(context)) static_cast<Pcs*>(data)->push_back(static_cast<std::uint64_t>(_Unwind_GetGR(context, r12)));
  return _URC_NO_REASON;
}

Both from_masked;
Pcs our_r12, their_r12;
void note_masked() {
  from_masked = both_from_here();
  for (std::size_t i = 0; i < from_masked.walk.count; ++i) our_r12.push_back(frame_buffer[i].saved[capture::Frame::r12]);
  _Unwind_Backtrace(add_r12, &their_r12);
}

TEST_F(Walks, ThroughAFrameWhoseRulesTheLibraryRefuses) {
  saves_mask_registers(note_masked);
  expect_same(from_masked, 5);
  ASSERT_EQ(our_r12.size(), their_r12.size() + 1) << "ours begin in both_from_here";
  our_r12.erase(our_r12.begin(), our_r12.begin() + 2);
  their_r12.erase(their_r12.begin());
  EXPECT_EQ(our_r12, their_r12);
  EXPECT_EQ(our_r12.front(), 0x5a5au);
}

Pcs from_context, libgcc_in_handler;
std::uint64_t interrupted_pc;
capture::Walk context_walk;
void walk_context(int, siginfo_t*, void* context) {
  const auto& interrupted = *static_cast<ucontext_t*>(context);
  interrupted_pc = static_cast<std::uint64_t>(interrupted.uc_mcontext.gregs[REG_RIP]);
  context_walk = capture::walk(interrupted, buffer, std::size(buffer));
  for (std::size_t i = 0; i < context_walk.count; ++i) from_context.push_back(buffer[i].pc);
  _Unwind_Backtrace(add_pc, &libgcc_in_handler);
}

void on_signal(int number, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  ASSERT_EQ(sigaction(number, &action, nullptr), 0);
}

TEST_F(Walks, FromTheContextThatASignalInterrupted) {
  on_signal(SIGUSR2, walk_context);
  raise(SIGUSR2);
  libgcc_in_handler = without_zero_end(libgcc_in_handler);
  ASSERT_FALSE(from_context.empty());
  EXPECT_EQ(from_context[0], interrupted_pc);
  auto from = std::find(libgcc_in_handler.begin(), libgcc_in_handler.end(), interrupted_pc);
  ASSERT_NE(from, libgcc_in_handler.end());
  EXPECT_EQ(from_context, Pcs(from, libgcc_in_handler.end()));
  EXPECT_EQ(context_walk.end, capture::End::reached_start);
}

sigjmp_buf back;
Both in_fault;
std::vector<capture::Frame> fault_frames;
void on_fault(int, siginfo_t*, void*) {
  in_fault.walk = capture::walk_here(buffer, std::size(buffer));
  fault_frames.assign(buffer, buffer + in_fault.walk.count);
  siglongjmp(back, 1);
}

TEST_F(Walks, FaultAtTheFirstInstructionOfAFunction) {
  on_signal(SIGSEGV, on_fault);
  if (sigsetjmp(back, 1) == 0) faults_first_insn();
  signal(SIGSEGV, SIG_DFL);
  auto faulted = std::find_if(fault_frames.begin(), fault_frames.end(),
                              [](const auto& f) { return f.pc == reinterpret_cast<std::uint64_t>(&faults_first_insn); });
  ASSERT_NE(faulted, fault_frames.end());
  EXPECT_TRUE(faulted->exact_pc);
  EXPECT_GT(fault_frames.end() - faulted, 5) << "main and its callers are behind the fault";
  EXPECT_EQ(in_fault.walk.end, capture::End::reached_start);
}

TEST_F(Walks, FramesOwnDisjointPartsOfTheStack) {
  auto walk = capture::walk_here(buffer, std::size(buffer));
  for (std::size_t i = 0; i + 1 < walk.count; ++i) {
    EXPECT_LT(buffer[i].sp, buffer[i].cfa);
    EXPECT_EQ(buffer[i].cfa, buffer[i + 1].sp);
  }
}

TEST_F(Walks, SayThatTheBufferWasTooSmall) {
  auto walk = capture::walk_here(buffer, 3);
  EXPECT_EQ(walk.count, 3u);
  EXPECT_EQ(walk.end, capture::End::buffer_full);
}

TEST_F(Walks, EndWhereTheCodeIsUnknown) {
  ASSERT_TRUE(capture::set_modules(nullptr, 0));
  ucontext_t context;
  getcontext(&context);
  auto walk = capture::walk(context, buffer, std::size(buffer));
  EXPECT_EQ(walk.count, 1u);
  EXPECT_EQ(walk.end, capture::End::no_unwind_info);
}

TEST_F(Walks, EndAtAStackPointerThatPointsNowhere) {
  ucontext_t context;
  getcontext(&context);
  context.uc_mcontext.gregs[REG_RSP] = 0x1000;
  auto walk = capture::walk(context, buffer, std::size(buffer));
  EXPECT_EQ(walk.end, capture::End::bad_stack);
}

}  // namespace
