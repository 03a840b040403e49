#include "tables/code.hpp"

#include <Zydis/Zydis.h>

#include <algorithm>
#include <cstring>

namespace callpath::tables {
namespace {

constexpr std::uint64_t longest_function = 1 << 16;

std::int32_t displacement_at(const std::vector<std::uint8_t>& bytes, std::size_t at) {
  std::int32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

class Decoder {
 public:
  Decoder(const Memory& memory, const Extent& extent) : memory_(memory), extent_(extent) {
    ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  }

  References run() {
    const auto code = code_bytes(memory_, extent_.begin, std::min(extent_.end.value - extent_.begin.value, longest_function));
    for (std::size_t at = 0; at < code.size(); at += instruction_.length) {
      if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder_, code.data() + at, code.size() - at, &instruction_, operands_))) break;
      look_at(extent_.begin + at);
    }
    return std::move(references_);
  }

 private:
  void look_at(Address at) {
    const auto category = instruction_.meta.category;
    const auto& first = operands_[0];
    std::uint64_t target = 0;
    if (instruction_.mnemonic == ZYDIS_MNEMONIC_LEA) {
      const auto& source = operands_[1];
      if (source.mem.base == ZYDIS_REGISTER_RIP && ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&instruction_, &source, at.value, &target)))
        references_.taken.push_back({target});
    } else if ((category == ZYDIS_CATEGORY_CALL || category == ZYDIS_CATEGORY_UNCOND_BR) && first.type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
               ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&instruction_, &first, at.value, &target)) && !extent_.contains({target})) {
      references_.called.push_back(through_plt(memory_, {target}));
    }
  }

  const Memory& memory_;
  Extent extent_;
  ZydisDecoder decoder_;
  ZydisDecodedInstruction instruction_{};
  ZydisDecodedOperand operands_[ZYDIS_MAX_OPERAND_COUNT];
  References references_;
};

}  // namespace

std::vector<std::uint8_t> code_bytes(const Memory& memory, Address from, std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  while (!bytes.empty() && !memory.read(from, bytes.data(), bytes.size())) bytes.resize(bytes.size() / 2);
  return bytes;
}

Address through_plt(const Memory& memory, Address address) {
  const auto code = code_bytes(memory, address, 16);
  if (code.size() < 16) return address;
  constexpr std::uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
  std::size_t at = std::equal(std::begin(endbr64), std::end(endbr64), code.begin()) ? 4 : 0;
  if (code[at] == 0xf2) ++at;
  if (code[at] != 0xff || code[at + 1] != 0x25) return address;
  const Address slot = address + at + 6 + static_cast<std::uint64_t>(std::int64_t{displacement_at(code, at + 2)});
  return memory.pointer(slot).value_or(address);
}

std::optional<Address> called_before(const Memory& memory, Address return_address) {
  constexpr std::size_t call_size = 5;
  const auto code = code_bytes(memory, return_address - call_size, call_size);
  if (code.size() < call_size || code[0] != 0xe8) return std::nullopt;
  return through_plt(memory, return_address + static_cast<std::uint64_t>(std::int64_t{displacement_at(code, 1)}));
}

bool keeps_arguments(const Memory& memory, Address entry, Address until) {
  constexpr std::uint64_t longest_set_up = 64;
  constexpr ZydisRegister arrive[] = {ZYDIS_REGISTER_RDI, ZYDIS_REGISTER_RSI, ZYDIS_REGISTER_RDX,
                                      ZYDIS_REGISTER_RCX, ZYDIS_REGISTER_R8,  ZYDIS_REGISTER_R9};
  if (until < entry || until.value - entry.value > longest_set_up) return false;
  const auto code = code_bytes(memory, entry, until.value - entry.value);
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  std::size_t at = 0;
  for (; at < code.size(); at += instruction.length) {
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data() + at, code.size() - at, &instruction, operands))) return false;
    if (instruction.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE) return false;
    for (int i = 0; i < instruction.operand_count; ++i) {
      if (operands[i].type != ZYDIS_OPERAND_TYPE_REGISTER || !(operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)) continue;
      const auto whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operands[i].reg.value);
      if (std::find(std::begin(arrive), std::end(arrive), whole) != std::end(arrive)) return false;
    }
  }
  return at == until.value - entry.value;
}

References references_in(const Memory& memory, const Extent& extent) { return Decoder(memory, extent).run(); }

}  // namespace callpath::tables
