// Memory that is kept and handed out again, and given back.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "core/Allocator.h"
#include "core/Exception.h"
#include "core/Storage.h"

namespace tensorlib {
namespace {

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;

class Allocator : public testing::Test {
 protected:
  void SetUp() override { empty_cache(); }
  void TearDown() override { empty_cache(); }
};

TEST_F(Allocator, BlocksAreAlignedWritableAndApart) {
  std::vector<std::pair<char*, std::size_t>> blocks;
  for (std::size_t n : {1ul, 63ul, 64ul, 65ul, 1000ul, 1024ul, 1025ul, 100 * KiB, 128 * KiB, 128 * KiB + 1, MiB, 2 * MiB, 5 * MiB + 3}) {
    for (int i = 0; i < 3; ++i) {
      char* data = allocate_bytes(n);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0u);
      std::memset(data, static_cast<int>(blocks.size() + 1), n);
      blocks.emplace_back(data, n);
    }
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto [data, n] = blocks[i];
    EXPECT_TRUE(data[0] == static_cast<char>(i + 1) && data[n - 1] == static_cast<char>(i + 1)) << n;
    free_bytes(data, n);
  }
}

TEST_F(Allocator, ALargeBlockIsHandedOutAgainForTheSameSize) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "under the address sanitiser nothing is kept";
#endif
  char* first = allocate_bytes(8 * MiB);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % (2 * MiB), 0u);
  free_bytes(first, 8 * MiB);
  EXPECT_EQ(cache_stats().bytes, 8 * MiB);
  EXPECT_EQ(cache_stats().blocks, 1u);
  char* other = allocate_bytes(16 * MiB);
  EXPECT_NE(other, first);
  char* again = allocate_bytes(8 * MiB - 100);
  EXPECT_EQ(again, first);
  EXPECT_EQ(cache_stats().blocks, 0u);
  free_bytes(again, 8 * MiB - 100);
  free_bytes(other, 16 * MiB);
  empty_cache();
  EXPECT_EQ(cache_stats().bytes, 0u);
}

TEST_F(Allocator, NeverKeepsMoreThanItsLimit) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "under the address sanitiser nothing is kept";
#endif
  const std::size_t limit = cache_stats().limit, size = limit / 4;
  std::vector<char*> blocks;
  for (int i = 0; i < 6; ++i) blocks.push_back(allocate_bytes(size));
  for (char* block : blocks) free_bytes(block, size);
  EXPECT_LE(cache_stats().bytes, limit);
  EXPECT_GE(cache_stats().blocks, 3u);
  char* huge = allocate_bytes(2 * limit);
  free_bytes(huge, 2 * limit);
  EXPECT_LE(cache_stats().bytes, limit);
}

TEST_F(Allocator, SmallBlocksGoFromThreadToThread) {
  std::vector<char*> blocks;
  std::thread([&] {
    for (int i = 0; i < 100; ++i) blocks.push_back(allocate_bytes(200));
  }).join();
  EXPECT_EQ(std::set<char*>(blocks.begin(), blocks.end()).size(), 100u);
  for (char* block : blocks) free_bytes(block, 200);
  std::set<char*> again;
  for (int i = 0; i < 100; ++i) again.insert(allocate_bytes(200));
  EXPECT_EQ(again.size(), 100u);
  for (char* block : again) free_bytes(block, 200);
}

TEST_F(Allocator, WhatIsTooMuchIsAnError) {
  EXPECT_THROW(allocate_bytes(std::size_t{1} << 60), Error);
  EXPECT_THROW(allocate_bytes(SIZE_MAX - 10), Error);
}

TEST_F(Allocator, AStorageKeepsItsContentsWhenResized) {
  StorageImpl storage(100);
  std::memset(storage.data(), 7, 100);
  storage.resize(3 * MiB);
  EXPECT_EQ(storage.nbytes(), 3 * MiB);
  EXPECT_EQ(storage.data()[99], 7);
  storage.resize(10);
  EXPECT_EQ(storage.data()[9], 7);
}

TEST_F(Allocator, MemoryFromElsewhereIsGivenBackOnceAndNotResized) {
  static int given_back = 0;
  static int amount = 3;
  char memory[16];
  {
    StorageImpl storage(
        memory, sizeof memory, [](void* context) { given_back += *static_cast<int*>(context); }, &amount);
    EXPECT_FALSE(storage.resizable());
    EXPECT_THROW(storage.resize(32), Error);
  }
  EXPECT_EQ(given_back, 3);
}

}  // namespace
}  // namespace tensorlib
