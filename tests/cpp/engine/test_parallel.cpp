// Loops on several threads: every number once, the same chunks however many threads, errors come home, workers say whom they work for.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/Exception.h"
#include "core/Parallel.h"
#include "core/parallel_token.h"
#include "native/BinaryOps.h"
#include "native/TensorFactories.h"
#include "native/TensorIterator.h"
#include "native/TensorShape.h"

namespace tensorlib {
namespace {

class Parallel : public testing::Test {
 protected:
  void TearDown() override { set_num_threads(before_); }
  int before_ = get_num_threads();
};

using Chunk = std::pair<std::int64_t, std::int64_t>;

std::set<Chunk> chunks_of(std::int64_t begin, std::int64_t end, std::int64_t grain) {
  std::mutex mutex;
  std::set<Chunk> seen;
  parallel_for(begin, end, grain, [&](std::int64_t from, std::int64_t to) {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(seen.emplace(from, to).second);
  });
  return seen;
}

TEST_F(Parallel, ChunksDependOnTheRangeAlone) {
  const std::set<Chunk> expected{{5, 12}, {12, 19}, {19, 26}, {26, 30}};
  for (int threads : {1, 2, 3, 8}) {
    set_num_threads(threads);
    for (int round = 0; round < 100; ++round) ASSERT_EQ(chunks_of(5, 30, 7), expected) << threads;
  }
  EXPECT_TRUE(chunks_of(3, 3, 10).empty());
  EXPECT_EQ(chunks_of(3, 4, 10), (std::set<Chunk>{{3, 4}}));
}

TEST_F(Parallel, UsesOtherThreads) {
  set_num_threads(2);
  std::atomic<int> arrived{0};
  std::mutex mutex;
  std::set<std::thread::id> ids;
  // Each chunk waits for the other: one thread alone would never finish.
  parallel_for(0, 2, 1, [&](std::int64_t, std::int64_t) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
    const std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(ids.size(), 2u);
}

TEST_F(Parallel, TheFirstErrorIsThrownWhereTheLoopWasStarted) {
  for (int threads : {1, 3}) {
    set_num_threads(threads);
    EXPECT_THROW(parallel_for(0, 1000, 1,
                              [](std::int64_t from, std::int64_t) {
                                if (from == 500) throw IndexError("chunk 500");
                              }),
                 IndexError);
    EXPECT_FALSE(in_parallel_region());
  }
}

TEST_F(Parallel, LoopsInLoopsStayOnTheirThread) {
  set_num_threads(3);
  std::atomic<int> count{0};
  parallel_for(0, 6, 1, [&](std::int64_t, std::int64_t) {
    EXPECT_TRUE(in_parallel_region());
    const auto id = std::this_thread::get_id();
    parallel_for(0, 4, 1, [&](std::int64_t, std::int64_t) {
      EXPECT_EQ(std::this_thread::get_id(), id);
      ++count;
    });
  });
  EXPECT_EQ(count, 24);
}

TEST_F(Parallel, SeveralThreadsMayStartLoops) {
  set_num_threads(3);
  std::vector<std::thread> callers;
  std::atomic<std::int64_t> sum{0};
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        parallel_for(0, 100, 9, [&](std::int64_t from, std::int64_t to) { sum += to - from; });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 4 * 200 * 100);
}

TEST_F(Parallel, AForkedChildHasAPoolOfItsOwn) {
  set_num_threads(2);
  chunks_of(0, 10, 1);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    std::atomic<int> arrived{0};
    parallel_for(0, 2, 1, [&](std::int64_t, std::int64_t) {
      ++arrived;
      while (arrived < 2) std::this_thread::yield();
    });
    _exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST_F(Parallel, FewerThanOneThreadIsRefused) {
  EXPECT_THROW(set_num_threads(0), Error);
  EXPECT_THROW(set_num_threads(-2), Error);
}

// As a tool would: by the symbol's name.
const struct ::tensorlib_parallel_token& token_of_this_thread() {
  return *static_cast<const struct ::tensorlib_parallel_token*>(dlsym(RTLD_DEFAULT, "tensorlib_parallel_token"));
}

TEST_F(Parallel, AWorkerSaysWhoStartedItsLoop) {
  set_num_threads(2);
  EXPECT_EQ(token_of_this_thread().version, 1u);
  EXPECT_EQ(token_of_this_thread().size, sizeof(struct ::tensorlib_parallel_token));
  EXPECT_EQ(token_of_this_thread().region, 0u);
  const pid_t caller = gettid();
  const auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  std::atomic<int> arrived{0};
  std::mutex mutex;
  std::set<std::uint64_t> regions;
  parallel_for(10, 30, 10, [&](std::int64_t from, std::int64_t to) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
    const std::lock_guard lock(mutex);
    const auto& token = token_of_this_thread();
    regions.insert(token.region);
    EXPECT_EQ(token.parent_tid, caller);
    EXPECT_EQ(token.begin, from);
    EXPECT_EQ(token.end, to);
    // parallel_for's frame is called from this one: below it, and near.
    EXPECT_LE(token.parent_frame, here);
    EXPECT_LT(here - token.parent_frame, 4096u);
  });
  EXPECT_EQ(regions.size(), 1u);
  EXPECT_EQ(regions.count(0), 0u);
  EXPECT_EQ(token_of_this_thread().region, 0u);
}

TEST_F(Parallel, ResultsHaveTheSameBitsOnAnyNumberOfThreads) {
  const std::int64_t n = 3 * GRAIN_SIZE + 17;
  const Tensor a = native::linspace(0, 1, n, ScalarType::Float),
               b = native::slice(native::linspace(1, 2, 2 * n, ScalarType::Float), 0, 0, 2 * n, 2);
  std::vector<char> expected;
  for (int threads : {1, 2, 5}) {
    set_num_threads(threads);
    TensorIterator iter = TensorIterator::binary_op(Tensor(), a, b);
    native::mul_stub(iter);
    const std::vector<char> bytes(iter.output().data(), iter.output().data() + n * 4);
    if (expected.empty()) expected = bytes;
    EXPECT_EQ(bytes, expected);
  }
}

TEST_F(Parallel, AReductionGivesEachOutputToOneThread) {
  set_num_threads(3);
  const std::int64_t rows = 301, columns = 997;
  const Tensor in = native::full(DimVector{rows, columns}, 1, ScalarType::Long);
  for (const bool over_rows : {false, true}) {
    const Tensor out = native::zeros(over_rows ? DimVector{1, columns} : DimVector{rows, 1}, ScalarType::Long);
    TensorIterator iter = TensorIterator::reduce_op(native::expand(out, DimVector{rows, columns}), in);
    iter.parallel_reduce([](char** data, const std::int64_t* strides, std::int64_t size0, std::int64_t size1) {
      for (std::int64_t j = 0; j < size1; ++j) {
        for (std::int64_t i = 0; i < size0; ++i) {
          *reinterpret_cast<std::int64_t*>(data[0] + i * strides[0] + j * strides[2]) +=
              *reinterpret_cast<std::int64_t*>(data[1] + i * strides[1] + j * strides[3]);
        }
      }
    });
    for (std::int64_t i = 0; i < out.numel(); ++i) ASSERT_EQ(out.data_ptr<std::int64_t>()[i], over_rows ? rows : columns);
    std::atomic<std::int64_t> visited{0};
    iter.foreach_reduced_elt([&](TensorIteratorBase& part) { visited += part.numel(); });
    EXPECT_EQ(visited, rows * columns);
  }
}

}  // namespace
}  // namespace tensorlib
