// The interpreters' states of a thread. Private to python/.
#pragma once

#include <vector>

#include "core/memory.hpp"
#include "python/frames.hpp"
#include "python/layout.h"

namespace callpath {

struct ThreadStates {
  std::vector<Address> threads;
  bool torn = false;  ///< The lists changed each time while they were read.
};

/// A thread has a state in each interpreter that it has entered: more than one below a call into a subinterpreter. Only the thread itself
/// stands still: another may take its state off the list at any moment, and what it frees is written over. A link that leads to no state of
/// the interpreter's is a sign of that.
ThreadStates find_thread_states(const Interpreter&, const callpath_python_layout&, const Memory&, std::int64_t tid);

/// Until 3.11, the state of a thread that is just being made bears the id of the thread that makes it.
bool is_state_of(const callpath_python_layout&, const Memory&, Address thread, std::int64_t tid);

}  // namespace callpath
