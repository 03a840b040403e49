// Linking LLVM's unw_* must not harm anybody's exceptions: they pass through frames of ours, in a program and in an extension.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>

#include "frames.hpp"

namespace {

using Getter = const FramesOfOurs* (*)();

const FramesOfOurs* in_extension() {
  void* handle = dlopen(UNWIND_EXTENSION, RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw std::runtime_error(dlerror());
  return reinterpret_cast<Getter>(dlsym(handle, "frames_of_ours"))();
}

class Unwinding : public testing::TestWithParam<const char*> {
 protected:
  const FramesOfOurs* frames() { return std::string(GetParam()) == "extension" ? in_extension() : frames_of_ours(); }
};

TEST_P(Unwinding, AnExceptionRunsTheDestructorAndArrives) {
  const auto* ours = frames();
  ASSERT_GT(ours->walk(), 3);
  int destroyed = 0;
  for (int round = 1; round <= 3; ++round) {
    EXPECT_THROW(ours->call_through([](void*) { throw std::runtime_error("through"); }, nullptr, &destroyed), std::runtime_error);
    EXPECT_EQ(destroyed, round);
    ASSERT_GT(ours->walk(), 3);
  }
}

struct Cancelled {
  const FramesOfOurs* ours;
  int destroyed = 0;
  std::atomic<bool> inside{false};
};

void wait_for_cancellation(void* data) {
  static_cast<Cancelled*>(data)->inside = true;
  for (;;) pause();
}

void* cancelled_thread(void* data) {
  auto& cancelled = *static_cast<Cancelled*>(data);
  cancelled.ours->walk();
  cancelled.ours->call_through(wait_for_cancellation, data, &cancelled.destroyed);
  return nullptr;
}

TEST_P(Unwinding, CancellingAThreadRunsTheDestructor) {
  Cancelled cancelled{frames()};
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, nullptr, cancelled_thread, &cancelled), 0);
  while (!cancelled.inside) sched_yield();
  ASSERT_EQ(pthread_cancel(thread), 0);
  void* result = nullptr;
  ASSERT_EQ(pthread_join(thread, &result), 0);
  EXPECT_EQ(result, PTHREAD_CANCELED);
  EXPECT_EQ(cancelled.destroyed, 1);
}

INSTANTIATE_TEST_SUITE_P(Linked, Unwinding, testing::Values("program", "extension"), [](const auto& info) { return info.param; });

}  // namespace
