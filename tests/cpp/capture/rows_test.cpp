// What is kept between walks: that it is used, and that it never outlives what it speaks of.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "both.hpp"

namespace {

struct Rows : testing::Test {
  void SetUp() override { ASSERT_TRUE(capture::refresh_modules()); }
};

__attribute__((noinline)) Both below(int levels) {
  Both both = levels == 0 ? both_from_here() : below(levels - 1);
  asm volatile("" : : "r"(&both) : "memory");  // Not a tail call.
  return both;
}

TEST_F(Rows, ASecondWalkNeedsNoUnwinder) {
  std::vector<capture::Frame> frames(256);
  std::vector<capture::Point> points(256);
  std::uint64_t slow[3];
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(capture::walk_here(frames.data(), frames.size()).end, capture::End::reached_start);
    EXPECT_EQ(capture::trace_here(points.data(), points.size()).end, capture::End::reached_start);
    slow[round] = capture::slow_steps().all;
  }
  EXPECT_GT(slow[0], 0u);
  EXPECT_EQ(slow[1], slow[2]);
}

struct Library {
  explicit Library(const char* file) : handle(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {}
  ~Library() {
    if (handle) dlclose(handle);
  }
  using CallsBack = int (*)(int (*)(void*), void*);
  CallsBack function() const { return reinterpret_cast<CallsBack>(dlsym(handle, "calls_back")); }
  void* handle;
};

int compare_here(void* both) {
  *static_cast<Both*>(both) = both_from_here();
  return 0;
}

TEST_F(Rows, ALibraryInAnothersPlaceHasItsOwn) {
  Library::CallsBack first;
  {
    Library library(FRAME_64);
    ASSERT_NE(library.handle, nullptr) << dlerror();
    ASSERT_TRUE(capture::refresh_modules());
    Both both;
    (first = library.function())(compare_here, &both);
    expect_same(both, 6);
  }
  Library library(FRAME_512);
  ASSERT_TRUE(capture::refresh_modules());
  ASSERT_EQ(library.function(), first) << "the loader puts it elsewhere: this test shows nothing";
  Both both;
  library.function()(compare_here, &both);
  expect_same(both, 6);
}

TEST_F(Rows, AreKeptWhenALibraryComes) {
  std::vector<capture::Point> points(256);
  std::uint64_t slow[2];
  Library library(nullptr);
  for (int round = 0; round < 2; ++round) {
    capture::trace_here(points.data(), points.size());
    slow[round] = capture::slow_steps().all;
    if (round == 0) library.handle = dlopen(FRAME_64, RTLD_NOW);
    capture::refresh_modules();
  }
  EXPECT_NE(library.handle, nullptr);
  EXPECT_LE(slow[1] - slow[0], 1u) << "one for the call itself, if the compiler made two of it";
}

TEST_F(Rows, ServeAChildToo) {
  below(20);
  const pid_t child = fork();
  if (child == 0) {
    const Both both = below(20);
    _exit(both.ours == without_zero_end(both.libgcc) && both.traced == both.ours && both.ours.size() > 20 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

/// Threads walk from ever new depths while libraries come and go.
TEST_F(Rows, ThreadsWalkWhileLibrariesComeAndGo) {
  std::atomic<bool> done{false};
  std::atomic<int> walks{0}, wrong{0};
  auto body = [&] {
    for (int i = 0; i < 400; ++i) {
      const Both both = below(i % 37);
      wrong += both.ours != without_zero_end(both.libgcc) || both.traced != both.ours || both.walk.end != capture::End::reached_start;
      ++walks;
    }
  };
  std::thread changes([&] {
    while (!done) {
      for (const char* file : {FRAME_64, FRAME_512}) {
        Library library(file);
        capture::refresh_modules();
        Both both;
        library.function()(compare_here, &both);
        wrong += both.ours != without_zero_end(both.libgcc) || both.traced != both.ours;
      }
      capture::refresh_modules();
    }
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back(body);
  for (auto& thread : threads) thread.join();
  done = true;
  changes.join();
  EXPECT_EQ(walks, 3200);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
