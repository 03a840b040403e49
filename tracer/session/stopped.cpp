#include "session/stopped.hpp"

#include <cpuid.h>

#include <cstring>

namespace callpath::session {
namespace {

constexpr int saved_numbers[] = {3, 6, 12, 13, 14, 15};  // rbx rbp r12..r15 in DWARF's order

RawFrame raw_frame(const capture::Frame& frame) {
  RawFrame raw;
  raw.pc = {frame.pc};
  raw.exact_pc = frame.exact_pc;
  raw.sp = {frame.sp};
  raw.cfa = {frame.cfa};
  auto set = [&](int number, std::uint64_t value) {
    raw.registers.value[static_cast<std::size_t>(number)] = value;
    raw.registers.known |= 1u << number;
  };
  for (int i = 0; i < capture::Frame::saved_count; ++i) set(saved_numbers[i], frame.saved[i]);
  set(Registers::rsp, frame.sp);
  set(Registers::rip, frame.pc);
  return raw;
}

/// Where the standard form of the XSAVE area holds a component, by the processor's own word; 0 if it does not have it.
std::uint32_t component_offset(unsigned component) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(0xd, component, &a, &b, &c, &d) && a ? b : 0;
}

class XsaveArea {
 public:
  explicit XsaveArea(const agent::Stop& stop) : bytes_(stop.vectors), size_(stop.vector_size) {
    if (size_ >= 512 + 8) std::memcpy(&present_, bytes_ + 512, sizeof present_);
  }
  /// A component that the area leaves out is in its initial state, all zero.
  bool has(unsigned component) const { return present_ >> component & 1; }
  bool copy(std::uint32_t offset, void* to, std::size_t size) const {
    if (offset + size > size_) return false;
    std::memcpy(to, bytes_ + offset, size);
    return true;
  }

 private:
  const std::uint8_t* bytes_;
  std::uint32_t size_;
  std::uint64_t present_ = 0;
};

constexpr std::uint32_t xmm_offset = 160;
enum Component : unsigned { ymm_high = 2, zmm_high = 6, zmm_upper_sixteen = 7 };

/// Copies `size` bytes of each of sixteen registers; registers of an absent component stay zero. False if the processor has no such thing.
bool fill(VectorRegisters& to, const XsaveArea& area, Component component, int first, std::size_t at, std::size_t size) {
  std::uint32_t offset = component_offset(component);
  if (!offset) return false;
  for (std::size_t i = 0; i < 16 && area.has(component); ++i)
    if (!area.copy(offset + static_cast<std::uint32_t>(i * size), to.value[static_cast<std::size_t>(first) + i].data() + at, size))
      return false;
  return true;
}

}  // namespace

RawStack raw_stack(const agent::Shared& shared) {
  RawStack stack;
  stack.tid = shared.stop.tid;
  for (std::uint32_t i = 0; i < shared.stop.frame_count && i < agent::max_frames; ++i) stack.frames.push_back(raw_frame(shared.frames[i]));
  if (!stack.frames.empty() && shared.stop.kind == agent::StopKind::probe) {
    auto& registers = stack.frames.front().registers;
    std::copy(std::begin(shared.stop.registers), std::end(shared.stop.registers), registers.value.begin());
    registers.known = (1u << Registers::count) - 1;
  }
  stack.vectors = vector_registers(shared.stop);
  stack.complete = shared.stop.end == capture::End::reached_start;
  if (!stack.complete) stack.incomplete_reason = capture::text(shared.stop.end);
  return stack;
}

VectorRegisters vector_registers(const agent::Stop& stop) {
  VectorRegisters registers;
  XsaveArea area(stop);
  for (std::uint32_t i = 0; i < 16; ++i)
    if (!area.copy(xmm_offset + 16 * i, registers.value[i].data(), 16)) return registers;
  registers.width = 16;
  if (!fill(registers, area, ymm_high, 0, 16, 16)) return registers;
  registers.width = 32;
  if (fill(registers, area, zmm_high, 0, 32, 32) && fill(registers, area, zmm_upper_sixteen, 16, 0, 64)) registers.width = 64;
  return registers;
}

}  // namespace callpath::session
