#include "session/displace.hpp"

#include <Zydis/Zydis.h>
#include <fmt/format.h>

#include <cstring>

#include "core/error.hpp"

namespace callpath::session {
namespace {

struct Decoded {
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  Address address;
  std::uint64_t next() const { return address.value + instruction.length; }
};

[[noreturn]] void refuse(Address address, const std::string& why) {
  throw CannotProbe(fmt::format("no probe can be set at {:#x}: {}", address.value, why),
                    "Choose another place: the function's callers, or a line inside it.");
}

Decoded decode(const std::uint8_t* bytes, std::size_t size, Address address) {
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  Decoded decoded;
  decoded.address = address;
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, size, &decoded.instruction, decoded.operands)))
    refuse(address, "the bytes there are no instruction");
  return decoded;
}

/// Instructions whose own address matters in ways that a copy cannot keep.
const char* immovable(const Decoded& decoded) {
  switch (decoded.instruction.mnemonic) {
    case ZYDIS_MNEMONIC_INT3:
      return "a breakpoint of somebody else's stands there";
    case ZYDIS_MNEMONIC_INT:
    case ZYDIS_MNEMONIC_INT1:
    case ZYDIS_MNEMONIC_INTO:
    case ZYDIS_MNEMONIC_SYSCALL:
    case ZYDIS_MNEMONIC_SYSENTER:
      return "the instruction enters the kernel, which may look at its address";
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_HLT:
      return "the instruction faults by design, at an address that the program may look at";
    case ZYDIS_MNEMONIC_XBEGIN:
    case ZYDIS_MNEMONIC_XABORT:
    case ZYDIS_MNEMONIC_XEND:
      return "the instruction belongs to a hardware transaction, which a stop would abort";
    default:
      break;
  }
  if (decoded.instruction.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR) return "it is a far jump, call or return";
  return nullptr;
}

std::int8_t register_number(const Decoded& decoded, ZydisRegister reg) {
  if (reg == ZYDIS_REGISTER_NONE) return agent::no_register;
  if (ZydisRegisterGetClass(reg) != ZYDIS_REGCLASS_GPR64) refuse(decoded.address, "its operand is of a form that cannot be emulated");
  return ZydisRegisterGetId(reg);
}

std::uint64_t relative_target(const Decoded& decoded, const ZydisDecodedOperand& operand) {
  std::uint64_t target = 0;
  if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&decoded.instruction, &operand, decoded.address.value, &target)))
    refuse(decoded.address, "the target of its jump cannot be told");
  return target;
}

agent::Operand memory_operand(const Decoded& decoded, const ZydisDecodedOperand& operand) {
  if (operand.mem.segment == ZYDIS_REGISTER_FS || operand.mem.segment == ZYDIS_REGISTER_GS)
    refuse(decoded.address, "it jumps through thread-local memory");
  agent::Operand result;
  result.kind = agent::Operand::memory;
  if (operand.mem.base == ZYDIS_REGISTER_RIP) {
    result.displacement = static_cast<std::int64_t>(decoded.next() + static_cast<std::uint64_t>(operand.mem.disp.value));
    return result;
  }
  result.base = register_number(decoded, operand.mem.base);
  result.index = register_number(decoded, operand.mem.index);
  result.scale = operand.mem.scale;
  result.displacement = operand.mem.disp.has_displacement ? operand.mem.disp.value : 0;
  return result;
}

void set_target(Displaced& displaced, const Decoded& decoded) {
  const auto& operand = decoded.operands[0];
  if (operand.size == 16) refuse(decoded.address, "it is a 16-bit jump");
  if (operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
    displaced.target = relative_target(decoded, operand);
  } else if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER) {
    displaced.operand.kind = agent::Operand::register_;
    displaced.operand.base = register_number(decoded, operand.reg.value);
  } else {
    displaced.operand = memory_operand(decoded, operand);
  }
}

/// jcc's condition stands in the low four bits of its last opcode byte, in both forms; the counting jumps are 0xe0 to 0xe3.
void set_condition(Displaced& displaced, const Decoded& decoded) {
  using agent::CountKind;
  displaced.kind = agent::Resume::count;
  switch (decoded.instruction.mnemonic) {
    case ZYDIS_MNEMONIC_LOOP:
      displaced.condition = static_cast<std::uint32_t>(CountKind::loop);
      break;
    case ZYDIS_MNEMONIC_LOOPE:
      displaced.condition = static_cast<std::uint32_t>(CountKind::loope);
      break;
    case ZYDIS_MNEMONIC_LOOPNE:
      displaced.condition = static_cast<std::uint32_t>(CountKind::loopne);
      break;
    case ZYDIS_MNEMONIC_JRCXZ:
      displaced.condition = static_cast<std::uint32_t>(CountKind::jrcxz);
      break;
    case ZYDIS_MNEMONIC_JECXZ:
      displaced.condition = static_cast<std::uint32_t>(CountKind::jecxz);
      break;
    default:
      displaced.kind = agent::Resume::branch;
      displaced.condition = decoded.instruction.opcode & 0xf;
  }
  if (displaced.kind == agent::Resume::count && decoded.instruction.address_width != 64 &&
      decoded.instruction.mnemonic != ZYDIS_MNEMONIC_JECXZ)
    refuse(decoded.address, "it counts in a 32-bit register");
  displaced.target = relative_target(decoded, decoded.operands[0]);
}

bool fits_32_bits(std::int64_t value) { return value == static_cast<std::int32_t>(value); }

void put_32_bits(std::uint8_t* to, std::int64_t value) {
  auto narrow = static_cast<std::int32_t>(value);
  std::memcpy(to, &narrow, sizeof narrow);
}

/// Copies the instruction, mends a displacement that counts from the instruction pointer, and appends the jump back.
void copy_instruction(Displaced& displaced, const Decoded& decoded, const std::uint8_t* bytes, Address slot) {
  const auto& instruction = decoded.instruction;
  displaced.code.assign(bytes, bytes + instruction.length);
  auto moved = static_cast<std::int64_t>(slot.value - decoded.address.value);
  for (int i = 0; i < instruction.operand_count_visible; ++i) {
    const auto& operand = decoded.operands[i];
    bool relative = operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.mem.base == ZYDIS_REGISTER_RIP;
    if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.mem.base == ZYDIS_REGISTER_EIP)
      refuse(decoded.address, "it addresses through eip");
    if (!relative) continue;
    std::int64_t displacement = operand.mem.disp.value - moved;
    if (instruction.raw.disp.size != 32 || !fits_32_bits(displacement)) refuse(decoded.address, "its data is out of reach of a copy");
    put_32_bits(displaced.code.data() + instruction.raw.disp.offset, displacement);
    break;
  }
  std::uint64_t jump_end = slot.value + displaced.code.size() + 5;
  auto back = static_cast<std::int64_t>(decoded.next() - jump_end);
  if (!fits_32_bits(back)) refuse(decoded.address, "no room for a copy is within reach");
  displaced.code.resize(displaced.code.size() + 5, 0xe9);
  put_32_bits(displaced.code.data() + displaced.code.size() - 4, back);
}

}  // namespace

Displaced displace(const std::uint8_t* bytes, std::size_t size, Address address, Address slot) {
  Decoded decoded = decode(bytes, size, address);
  if (const char* why = immovable(decoded)) refuse(address, why);
  Displaced displaced;
  displaced.next = decoded.next();
  switch (decoded.instruction.meta.category) {
    case ZYDIS_CATEGORY_CALL:
      displaced.kind = agent::Resume::call;
      set_target(displaced, decoded);
      break;
    case ZYDIS_CATEGORY_UNCOND_BR:
      displaced.kind = agent::Resume::jump;
      set_target(displaced, decoded);
      break;
    case ZYDIS_CATEGORY_COND_BR:
      set_condition(displaced, decoded);
      break;
    case ZYDIS_CATEGORY_RET:
      displaced.kind = agent::Resume::ret;
      if (decoded.instruction.operand_count_visible > 0) displaced.pop = static_cast<std::uint32_t>(decoded.operands[0].imm.value.u);
      break;
    default:
      copy_instruction(displaced, decoded, bytes, slot);
  }
  return displaced;
}

}  // namespace callpath::session
