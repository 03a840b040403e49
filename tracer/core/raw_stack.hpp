// What capture yields: numbers only. Names come later.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/address.hpp"

namespace callpath {

/// Integer registers in DWARF numbering for x86-64: rax rdx rcx rbx rsi rdi rbp rsp r8..r15, then the return address (rip).
struct Registers {
  static constexpr int count = 17;
  static constexpr int rbp = 6, rsp = 7, rip = 16;
  std::array<std::uint64_t, count> value{};
  std::uint32_t known = 0;  ///< Bit i set: value[i] is what the frame had. Caller-saved registers are known in frame 0 only.
  bool has(int i) const { return known >> i & 1; }
};

/// One physical frame.
struct RawFrame {
  Address pc;             ///< Frame 0 and frames interrupted by a signal: the instruction. Others: the return address.
  bool exact_pc = false;  ///< True where pc must be looked up as it is; otherwise look up pc - 1, once.
  Address sp;             ///< Stack pointer while this frame runs.
  Address cfa;            ///< Its canonical frame address: one past its own part of the stack. 0 if unknown (last frame).
  Registers registers;

  Address lookup() const { return exact_pc ? pc : pc - 1; }
  bool owns(Address a) const { return cfa && sp <= a && a < cfa; }
};

/// SSE/AVX state of frame 0: 32 registers of up to 64 bytes, little-endian; `width` says how many bytes of each are valid (0: none).
struct VectorRegisters {
  int width = 0;
  std::array<std::array<std::uint8_t, 64>, 32> value{};
};

/// The native stack of one thread at one moment, innermost first.
struct RawStack {
  std::int64_t tid = 0;
  std::vector<RawFrame> frames;
  VectorRegisters vectors;
  bool complete = false;          ///< The walk reached the thread's start.
  std::string incomplete_reason;  ///< Why not, for people.
};

}  // namespace callpath
