#include "core/Parallel.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/Exception.h"
#include "core/parallel_token.h"

extern "C" {
__thread struct tensorlib_parallel_token tensorlib_parallel_token = {
    TENSORLIB_PARALLEL_TOKEN_VERSION, sizeof(struct tensorlib_parallel_token), 0, 0, 0, 0, 0};
}

namespace tensorlib {

namespace {

thread_local int thread_number = 0;

int default_num_threads() {
  if (const char* wanted = std::getenv("OMP_NUM_THREADS")) {
    const int threads = std::atoi(wanted);
    if (threads > 0) return threads;
  }
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::atomic<int>& num_threads() {
  static std::atomic<int> threads{default_num_threads()};
  return threads;
}

/// One call of parallel_for: chunks are handed out until there are none.
struct Region {
  function_ref<void(std::int64_t, std::int64_t)> body;
  std::int64_t begin, end, grain;
  std::uint64_t number;
  std::int64_t parent_tid;
  std::uint64_t parent_frame;
  std::atomic<std::int64_t> next;
  std::atomic<bool> failed{false};
  std::exception_ptr error = nullptr;

  void run_chunk(std::int64_t from) {
    auto& token = tensorlib_parallel_token;
    token.begin = from;
    token.end = std::min(end, from + grain);
    try {
      body(token.begin, token.end);
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
    }
  }

  /// Takes chunks until all are taken.
  void work() {
    auto& token = tensorlib_parallel_token;
    token.parent_tid = parent_tid;
    token.parent_frame = parent_frame;
    __atomic_store_n(&token.region, number, __ATOMIC_RELEASE);
    for (;;) {
      const std::int64_t from = next.fetch_add(grain, std::memory_order_relaxed);
      if (from >= end || failed.load(std::memory_order_relaxed)) break;
      run_chunk(from);
    }
    __atomic_store_n(&token.region, std::uint64_t{0}, __ATOMIC_RELEASE);
    token.parent_tid = token.begin = token.end = 0;
    token.parent_frame = 0;
  }
};

/// Threads that wait for regions. One region at a time: a second caller meanwhile works alone.
class ThreadPool {
 public:
  /// Runs the region on the calling thread and up to `helpers` others; false, with nothing done, when the pool is busy.
  bool run(Region& region, int helpers) {
    const std::unique_lock busy(busy_, std::try_to_lock);
    if (!busy) return false;
    {
      const std::lock_guard lock(mutex_);
      while (static_cast<int>(threads_) < helpers) add_thread();
      region_ = &region;
      wanted_ = helpers;
      ++generation_;
    }
    wake_.notify_all();
    region.work();
    // Helpers that have not begun by now find nothing to do: they are not waited for.
    std::unique_lock lock(mutex_);
    region_ = nullptr;
    done_.wait(lock, [this] { return working_ == 0; });
    return true;
  }

 private:
  void add_thread() {
    const int number = ++threads_;
    std::thread([this, number] { worker_main(number); }).detach();
  }

  void worker_main(int number) {
    pthread_setname_np(pthread_self(), ("tensorlib-" + std::to_string(number)).c_str());
    thread_number = number;
    std::unique_lock lock(mutex_);
    for (std::uint64_t seen = 0;;) {
      wake_.wait(lock, [&] { return generation_ != seen && region_ && number <= wanted_; });
      seen = generation_;
      Region* region = region_;
      ++working_;
      lock.unlock();
      region->work();
      lock.lock();
      if (--working_ == 0) done_.notify_one();
    }
  }

  std::mutex busy_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  Region* region_ = nullptr;
  std::uint64_t generation_ = 0;
  int wanted_ = 0;
  int working_ = 0;
  int threads_ = 0;
};

// Never destroyed: at exit helpers may still be waiting in it. A forked child has none of its threads, and gets a new one.
std::atomic<ThreadPool*> current_pool{nullptr};

ThreadPool& pool() {
  static const bool made = [] {
    current_pool = new ThreadPool;
    pthread_atfork(nullptr, nullptr, [] { current_pool = new ThreadPool; });
    return true;
  }();
  (void)made;
  return *current_pool;
}

std::atomic<std::uint64_t> regions{0};

}  // namespace

int get_num_threads() { return num_threads().load(std::memory_order_relaxed); }

void set_num_threads(int threads) {
  if (threads < 1) raise("set_num_threads expects a positive integer, got " + std::to_string(threads));
  num_threads().store(threads, std::memory_order_relaxed);
}

bool in_parallel_region() { return tensorlib_parallel_token.region != 0; }

int get_thread_num() { return in_parallel_region() ? thread_number : 0; }

void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain_size, function_ref<void(std::int64_t, std::int64_t)> f) {
  if (begin >= end) return;
  const std::int64_t grain = std::max<std::int64_t>(grain_size, 1);
  if (in_parallel_region()) {
    for (std::int64_t from = begin; from < end; from += grain) f(from, std::min(end, from + grain));
    return;
  }
  const std::int64_t chunks = (end - begin - 1) / grain + 1;
  const int helpers = static_cast<int>(std::min<std::int64_t>(get_num_threads(), chunks)) - 1;
  Region region{f,
                begin,
                end,
                grain,
                regions.fetch_add(1, std::memory_order_relaxed) + 1,
                gettid(),
                reinterpret_cast<std::uint64_t>(__builtin_dwarf_cfa()),
                begin};
  if (helpers < 1 || !pool().run(region, helpers)) region.work();
  if (region.error) std::rethrow_exception(region.error);
}

}  // namespace tensorlib
