#include "agent/emulate.hpp"

namespace callpath::agent {
namespace {

constexpr int greg_of[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                           REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

greg_t& general(ucontext_t& context, int number) { return context.uc_mcontext.gregs[greg_of[number]]; }
greg_t general(const ucontext_t& context, int number) { return context.uc_mcontext.gregs[greg_of[number]]; }

std::uint64_t load(std::uint64_t address) { return *reinterpret_cast<const volatile std::uint64_t*>(address); }

std::uint64_t operand_value(const Probe& probe, const ucontext_t& context) {
  const Operand& operand = probe.operand;
  if (operand.kind == Operand::target) return probe.target;
  if (operand.kind == Operand::register_) return static_cast<std::uint64_t>(general(context, operand.base));
  auto address = static_cast<std::uint64_t>(operand.displacement);
  if (operand.base != no_register) address += static_cast<std::uint64_t>(general(context, operand.base));
  if (operand.index != no_register) address += static_cast<std::uint64_t>(general(context, operand.index)) * operand.scale;
  return load(address);
}

/// The condition codes of jcc: eight questions, the lowest bit negates.
bool holds(std::uint32_t code, std::uint64_t flags) {
  bool carry = flags & 1, parity = flags >> 2 & 1, zero = flags >> 6 & 1, sign = flags >> 7 & 1, overflow = flags >> 11 & 1;
  bool answer = false;
  switch (code >> 1 & 7) {
    case 0:
      answer = overflow;
      break;
    case 1:
      answer = carry;
      break;
    case 2:
      answer = zero;
      break;
    case 3:
      answer = carry || zero;
      break;
    case 4:
      answer = sign;
      break;
    case 5:
      answer = parity;
      break;
    case 6:
      answer = sign != overflow;
      break;
    case 7:
      answer = zero || sign != overflow;
      break;
  }
  return answer != static_cast<bool>(code & 1);
}

bool counts(CountKind kind, ucontext_t& context) {
  auto& rcx = general(context, 1);
  bool zero = context.uc_mcontext.gregs[REG_EFL] >> 6 & 1;
  switch (kind) {
    case CountKind::jrcxz:
      return rcx == 0;
    case CountKind::jecxz:
      return static_cast<std::uint32_t>(rcx) == 0;
    case CountKind::loop:
      return --rcx != 0;
    case CountKind::loope:
      return --rcx != 0 && zero;
    case CountKind::loopne:
      return --rcx != 0 && !zero;
  }
  return false;
}

void push(ucontext_t& context, std::uint64_t value) {
  auto& sp = context.uc_mcontext.gregs[REG_RSP];
  sp -= 8;
  *reinterpret_cast<volatile std::uint64_t*>(sp) = value;
}

std::uint64_t pop(ucontext_t& context, std::uint32_t extra) {
  auto& sp = context.uc_mcontext.gregs[REG_RSP];
  std::uint64_t value = load(static_cast<std::uint64_t>(sp));
  sp += 8 + extra;
  return value;
}

}  // namespace

std::uint64_t target_of(const Probe& probe, const ucontext_t& context) { return operand_value(probe, context); }

void resume_behind(const Probe& probe, ucontext_t& context) {
  std::uint64_t to = probe.next;
  switch (probe.resume_kind) {
    case Resume::copy:
      to = probe.resume;
      break;
    case Resume::jump:
      to = operand_value(probe, context);
      break;
    case Resume::call:
      to = operand_value(probe, context);  // Before the push: the operand may use the stack pointer.
      push(context, probe.next);
      break;
    case Resume::branch:
      if (holds(probe.condition, static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_EFL]))) to = probe.target;
      break;
    case Resume::ret:
      to = pop(context, probe.pop);
      break;
    case Resume::count:
      if (counts(static_cast<CountKind>(probe.condition), context)) to = probe.target;
      break;
  }
  context.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(to);
}

}  // namespace callpath::agent
