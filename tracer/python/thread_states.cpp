#include "python/thread_states.hpp"

#include <thread>

namespace callpath {
namespace {

constexpr std::size_t most_interpreters = 10'000, most_threads = 100'000;

class Lists {
 public:
  Lists(const Interpreter& interpreter, const callpath_python_layout& layout, const Memory& memory, std::int64_t tid)
      : interpreter_(interpreter), layout_(layout), memory_(memory), tid_(tid) {}

  ThreadStates read() {
    found_ = {};
    auto interpreter = memory_.pointer(interpreter_.runtime + layout_.runtime_interpreters_head);
    for (std::size_t i = 0; interpreter && *interpreter && i < most_interpreters; ++i) {
      read_threads_of(*interpreter);
      interpreter = memory_.pointer(*interpreter + layout_.interpreter_next);
    }
    if (!interpreter) found_.torn = true;
    return found_;
  }

 private:
  void read_threads_of(Address interpreter) {
    auto thread = memory_.pointer(interpreter + layout_.interpreter_threads_head);
    for (std::size_t i = 0; thread && *thread && i < most_threads; ++i) {
      if (memory_.pointer(*thread + layout_.thread_interpreter) != interpreter) return void(found_.torn = true);
      if (is_state_of(layout_, memory_, *thread, tid_)) found_.threads.push_back(*thread);
      thread = memory_.pointer(*thread + layout_.thread_next);
    }
    if (!thread) found_.torn = true;
  }

  const Interpreter& interpreter_;
  const callpath_python_layout& layout_;
  const Memory& memory_;
  std::int64_t tid_;
  ThreadStates found_;
};

}  // namespace

bool is_state_of(const callpath_python_layout& layout, const Memory& memory, Address thread, std::int64_t tid) {
  return memory.get<std::uint64_t>(thread + layout.thread_native_id) == static_cast<std::uint64_t>(tid);
}

ThreadStates find_thread_states(const Interpreter& interpreter, const callpath_python_layout& layout, const Memory& memory,
                                std::int64_t tid) {
  constexpr int most_tries = 200;
  Lists lists(interpreter, layout, memory, tid);
  ThreadStates found = lists.read();
  for (int tries = 1; found.torn && tries < most_tries; ++tries) {
    std::this_thread::yield();
    found = lists.read();
  }
  return found;
}

}  // namespace callpath
