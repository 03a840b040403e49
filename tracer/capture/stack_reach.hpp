// Which memory a walk may read without asking: pages of the thread's stack that the kernel said are there.
#pragma once

#include <cstdint>

namespace callpath::capture {

/// Asks the kernel to copy a word from there, so that an address that is not mapped is an answer instead of a fault. Where a sandbox
/// forbids the call, the address is taken on trust. Async-signal-safe.
bool readable(std::uint64_t address);

/// A range of pages, each found readable. It is kept from walk to walk of one thread: what is outward of a running frame stays mapped as
/// long as the frame runs.
class StackReach {
 public:
  /// To be called at the start of a walk with its stack pointer.
  bool start(std::uint64_t sp) { return holds(sp) || restart(sp); }

  /// The word at `address`, which must be outward of the start, can be read.
  bool holds(std::uint64_t address) const { return address - begin_ < size_; }
  bool reach(std::uint64_t address) { return holds(address) || extend(address); }

  /// Copying in two halves, for what a handler of the same thread may read in between.
  void begin_at(const StackReach& other) { begin_ = other.begin_; }
  void size_as(const StackReach& other) { size_ = other.size_; }

 private:
  bool restart(std::uint64_t sp);
  bool extend(std::uint64_t address);

  std::uint64_t begin_ = 0, size_ = 0;  ///< Words that begin here and end within verified pages.
};

}  // namespace callpath::capture
