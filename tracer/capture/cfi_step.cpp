#include "capture/cfi_step.hpp"

#include "capture/bytes.hpp"
#include "capture/stack_reach.hpp"

namespace callpath::capture {
namespace {

bool load(std::uint64_t from, std::uint64_t& value) {
  if (!readable(from)) return false;
  value = *reinterpret_cast<const std::uint64_t*>(from);
  return true;
}

bool register_value(std::uint64_t dwarf_register, const FrameRegisters& frame, std::uint64_t& value) {
  const int index = carried_index(dwarf_register);
  if (index < 0 && dwarf_register != dw_rsp) return false;
  value = index < 0 ? frame.sp : frame.saved[index];
  return true;
}

/// A stack machine for the operations that unwind tables use. Values are words and wrap around.
class Machine {
 public:
  Machine(const FrameRegisters& frame, std::uint64_t instruction) : frame_(frame), instruction_(instruction) {}

  /// With `first` on the stack where there is one.
  bool run(std::uint64_t code, std::uint64_t size, const std::uint64_t* first, std::uint64_t& result) {
    if (first) push(*first);
    Bytes bytes(code, code + size);
    while (bytes.more())
      if (!step(bytes)) return false;
    if (depth_ == 0 || bytes.overrun()) return false;
    result = stack_[depth_ - 1];
    return true;
  }

 private:
  static constexpr unsigned deepest = 16;

  bool push(std::uint64_t value) { return depth_ < deepest && (stack_[depth_++] = value, true); }
  template <class T>
  bool push_constant(Bytes& bytes) {
    return push(static_cast<std::uint64_t>(static_cast<std::int64_t>(bytes.take<T>())));
  }

  bool push_register(std::uint64_t dwarf_register, std::int64_t offset) {
    std::uint64_t value = instruction_;
    if (dwarf_register != dw_rip && !register_value(dwarf_register, frame_, value)) return false;
    return push(value + static_cast<std::uint64_t>(offset));
  }

  bool step(Bytes& bytes) {
    const auto op = bytes.take<std::uint8_t>();
    if (op >= 0x30 && op <= 0x4f) return push(op - 0x30u);
    if (op >= 0x70 && op <= 0x8f) return push_register(op - 0x70u, bytes.signed_leb());
    switch (op) {
      case 0x08:
        return push_constant<std::uint8_t>(bytes);
      case 0x09:
        return push_constant<std::int8_t>(bytes);
      case 0x0a:
        return push_constant<std::uint16_t>(bytes);
      case 0x0b:
        return push_constant<std::int16_t>(bytes);
      case 0x0c:
        return push_constant<std::uint32_t>(bytes);
      case 0x0d:
        return push_constant<std::int32_t>(bytes);
      case 0x0e:
      case 0x0f:
        return push_constant<std::int64_t>(bytes);
      case 0x10:
        return push(bytes.unsigned_leb());
      case 0x11:
        return push(static_cast<std::uint64_t>(bytes.signed_leb()));
      case 0x96:  // nop
        return true;
      default:
        return on_top(op, bytes) || on_two(op);
    }
  }

  bool on_top(std::uint8_t op, Bytes& bytes) {
    if (depth_ == 0) return false;
    std::uint64_t& top = stack_[depth_ - 1];
    switch (op) {
      case 0x06:  // deref
        return load(top, top);
      case 0x12:
        return push(top);
      case 0x13:  // drop
        return --depth_, true;
      case 0x1f:  // neg
        return top = 0 - top, true;
      case 0x20:  // not
        return top = ~top, true;
      case 0x23:  // plus_uconst
        return top += bytes.unsigned_leb(), true;
      default:
        return false;
    }
  }

  bool on_two(std::uint8_t op) {
    if (depth_ < 2) return false;
    const std::uint64_t b = stack_[depth_ - 1];
    std::uint64_t& a = stack_[depth_ - 2];
    switch (op) {
      case 0x1a:
        a &= b;
        break;
      case 0x1c:
        a -= b;
        break;
      case 0x1e:
        a *= b;
        break;
      case 0x21:
        a |= b;
        break;
      case 0x22:
        a += b;
        break;
      case 0x24:
        a = b < 64 ? a << b : 0;
        break;
      case 0x25:
        a = b < 64 ? a >> b : 0;
        break;
      case 0x27:
        a ^= b;
        break;
      case 0x2a:  // ge
        a = static_cast<std::int64_t>(a) >= static_cast<std::int64_t>(b);
        break;
      default:
        return false;
    }
    return --depth_, true;
  }

  const FrameRegisters& frame_;
  std::uint64_t instruction_;
  std::uint64_t stack_[deepest];
  unsigned depth_ = 0;
};

bool cfa_of(const State& state, std::uint64_t instruction, const FrameRegisters& frame, std::uint64_t& cfa) {
  if (state.cfa_code_size) return Machine(frame, instruction).run(state.cfa_code, state.cfa_code_size, nullptr, cfa);
  if (!register_value(state.cfa_register, frame, cfa)) return false;
  cfa += static_cast<std::uint64_t>(state.cfa_offset);
  return true;
}

bool restore(const Rule& rule, std::uint64_t instruction, const FrameRegisters& frame, std::uint64_t cfa, std::uint64_t& value) {
  std::uint64_t place = cfa + static_cast<std::uint64_t>(rule.offset);
  switch (rule.kind) {
    case Rule::same:
      return true;
    case Rule::at_cfa:
      return load(place, value);
    case Rule::expression:
      return Machine(frame, instruction).run(rule.code, rule.code_size, &cfa, place) && load(place, value);
    default:
      return false;
  }
}

}  // namespace

bool apply(const State& state, std::uint64_t instruction, const FrameRegisters& frame, FrameRegisters& caller, bool& last) {
  std::uint64_t cfa = 0;
  if (!cfa_of(state, instruction, frame, cfa)) return false;
  caller = frame;
  caller.sp = cfa;
  caller.pc = 0;
  last = state.rules[rip_rule].kind == Rule::undefined;
  if (!last && (state.rules[rip_rule].kind == Rule::same || !restore(state.rules[rip_rule], instruction, frame, cfa, caller.pc)))
    return false;
  if (!restore(state.rules[rsp_rule], instruction, frame, cfa, caller.sp)) return false;
  for (int i = 0; i < carried; ++i)
    if (!last && !restore(state.rules[i], instruction, frame, cfa, caller.saved[i])) return false;
  return true;
}

}  // namespace callpath::capture
