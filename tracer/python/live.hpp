// Single questions about a thread's Python frames, answered from memory, without copying all of them: for use at thousands of stops.
#pragma once

#include <optional>

#include "core/memory.hpp"
#include "python/frames.hpp"

namespace callpath {

/// Where a frame stands.
struct FramePlace {
  Address code;
  int offset = -1;  ///< In bytes from the start of the bytecode; negative before the first instruction.
};

/// A thread that Python knows, while it is stopped.
class LivePython {
 public:
  /// The interpreter's version must be known (Interpreter::supported).
  LivePython(const Interpreter&, const Memory&, std::int64_t tid);

  bool found() const { return static_cast<bool>(thread_); }

  /// The newest frame that has code; nothing if there is none.
  std::optional<Address> current_frame() const;

  /// Nothing if that is not a frame that can be read.
  std::optional<FramePlace> place(Address frame) const;

  /// Whether a frame is among the running ones. Looks at the newest `depth` only: further out, true.
  bool runs(Address frame, std::size_t depth = 64) const;

 private:
  std::optional<Address> newest() const;

  const Interpreter& interpreter_;
  const Memory& memory_;
  Address thread_;
};

}  // namespace callpath
