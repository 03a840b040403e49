#include "core/Allocator.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "core/Exception.h"

#if defined(__SANITIZE_ADDRESS__)
#define TENSORLIB_KEEPS_NOTHING 1
#else
#define TENSORLIB_KEEPS_NOTHING 0
#endif

namespace tensorlib {

namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t largest_small = 1024;
constexpr std::size_t smallest_large = std::size_t{128} << 10;
constexpr std::size_t large_step = std::size_t{64} << 10;
constexpr std::size_t huge_page = std::size_t{2} << 20;

constexpr std::size_t round_up(std::size_t n, std::size_t step) { return (n + step - 1) / step * step; }

enum class Kind { Small, Middle, Large };
constexpr Kind kind_of(std::size_t nbytes) {
  if (TENSORLIB_KEEPS_NOTHING) return Kind::Middle;
  return nbytes <= largest_small ? Kind::Small : nbytes < smallest_large ? Kind::Middle : Kind::Large;
}

/// What a large block really has: blocks of one capacity stand in for each other.
constexpr std::size_t capacity_of(std::size_t nbytes) { return round_up(nbytes, nbytes < huge_page ? large_step : huge_page); }

/// Blocks of one thread, by size in units of the alignment.
class SmallLists {
 public:
  ~SmallLists() {
    for (List& list : lists_) {
      for (int i = 0; i < list.count; ++i) std::free(list.blocks[i]);
    }
  }

  char* take(std::size_t nbytes) {
    List& list = lists_[(nbytes - 1) / alignment];
    return list.count > 0 ? list.blocks[--list.count] : nullptr;
  }

  bool put(char* data, std::size_t nbytes) {
    List& list = lists_[(nbytes - 1) / alignment];
    if (list.count == length) return false;
    list.blocks[list.count++] = data;
    return true;
  }

 private:
  static constexpr int length = 32;
  struct List {
    int count = 0;
    char* blocks[length];
  };
  List lists_[largest_small / alignment];
};

/// This thread's; null until it frees a first block, and again when it ends. One word, because the library's thread-local memory is part of
/// what every thread is born with.
thread_local constinit SmallLists* small_lists = nullptr;

/// Null for a tensor that dies after its thread's other objects.
[[gnu::cold, gnu::noinline]] SmallLists* make_small_lists() {
  static thread_local constinit bool is_over = false;
  struct End {
    ~End() {
      delete small_lists;
      small_lists = nullptr;
      is_over = true;
    }
  };
  if (is_over) return nullptr;
  static thread_local const End end;
  (void)end;
  return small_lists = new SmallLists;
}

/// Large blocks that nobody uses, the one given back last at the end.
class LargeList {
 public:
  LargeList() {
    const auto memory = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    limit_ = std::min(memory / 8, std::size_t{1} << 30);
  }

  char* take(std::size_t capacity) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(blocks_.rbegin(), blocks_.rend(), [&](const Block& b) { return b.capacity == capacity; });
    if (found == blocks_.rend()) return nullptr;
    char* data = found->data;
    bytes_ -= capacity;
    blocks_.erase(std::next(found).base());
    return data;
  }

  void put(char* data, std::size_t capacity) {
    const std::lock_guard lock(mutex_);
    blocks_.push_back({data, capacity});
    bytes_ += capacity;
    while (bytes_ > limit_ || blocks_.size() > max_blocks) release_oldest();
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    while (!blocks_.empty()) release_oldest();
  }

  CacheStats stats() {
    const std::lock_guard lock(mutex_);
    return {bytes_, blocks_.size(), limit_};
  }

 private:
  struct Block {
    char* data;
    std::size_t capacity;
  };
  static constexpr std::size_t max_blocks = 256;

  void release_oldest() {
    const Block block = blocks_.front();
    blocks_.erase(blocks_.begin());
    bytes_ -= block.capacity;
    munmap(block.data, block.capacity);
  }

  std::mutex mutex_;
  std::vector<Block> blocks_;
  std::size_t bytes_ = 0;
  std::size_t limit_;
};

// Never destroyed: tensors may outlive static objects.
LargeList& large_list() {
  static LargeList& list = *new LargeList;
  return list;
}

/// New pages, aligned to a huge page where there is room for one; null when memory is short.
char* map_pages(std::size_t capacity) {
  const std::size_t slack = capacity >= huge_page ? huge_page : 0;
  void* mapped = capacity > SIZE_MAX - slack ? MAP_FAILED
                                             : mmap(nullptr, capacity + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  if (slack == 0) return static_cast<char*>(mapped);
  char* const start = static_cast<char*>(mapped);
  char* const data = reinterpret_cast<char*>(round_up(reinterpret_cast<std::uintptr_t>(start), huge_page));
  if (data > start) munmap(start, static_cast<std::size_t>(data - start));
  if (const std::size_t rest = slack - static_cast<std::size_t>(data - start)) munmap(data + capacity, rest);
  madvise(data, capacity, MADV_HUGEPAGE);
  return data;
}

char* aligned(std::size_t nbytes) { return static_cast<char*>(std::aligned_alloc(alignment, round_up(nbytes, alignment))); }

char* try_allocate(std::size_t nbytes) {
  switch (kind_of(nbytes)) {
    case Kind::Small:
    case Kind::Middle:
      return aligned(nbytes);
    case Kind::Large:
      break;
  }
  char* data = large_list().take(capacity_of(nbytes));
  return data ? data : map_pages(capacity_of(nbytes));
}

[[gnu::noinline]] char* allocate_anew(std::size_t nbytes) {
  constexpr std::size_t most = SIZE_MAX / 2;
  char* data = nbytes > most ? nullptr : try_allocate(nbytes);
  if (!data && nbytes <= most) {
    empty_cache();
    data = try_allocate(nbytes);
  }
  if (!data) raise("not enough memory: you tried to allocate " + std::to_string(nbytes) + " bytes");
  return data;
}

[[gnu::noinline]] void free_otherwise(char* data, std::size_t nbytes) {
  switch (kind_of(nbytes)) {
    case Kind::Small: {
      SmallLists* const lists = small_lists ? small_lists : make_small_lists();
      if (!lists || !lists->put(data, nbytes)) std::free(data);
      return;
    }
    case Kind::Middle:
      std::free(data);
      return;
    case Kind::Large:
      large_list().put(data, capacity_of(nbytes));
  }
}

}  // namespace

// What is small and there is the way of most calls.

char* allocate_bytes(std::size_t nbytes) {
  if (kind_of(nbytes) == Kind::Small && small_lists) {
    if (char* data = small_lists->take(nbytes)) return data;
  }
  return allocate_anew(nbytes);
}

void free_bytes(char* data, std::size_t nbytes) {
  if (kind_of(nbytes) == Kind::Small && small_lists && small_lists->put(data, nbytes)) return;
  free_otherwise(data, nbytes);
}

CacheStats cache_stats() { return large_list().stats(); }
void empty_cache() { large_list().clear(); }

}  // namespace tensorlib
