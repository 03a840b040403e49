#include "session/jumps.hpp"

#include <Zydis/Zydis.h>

#include <algorithm>
#include <cstring>

namespace callpath::session {
namespace {

constexpr std::size_t longest_function = 1 << 16;

/// Bytes from an address as far as they can be read, at most `size`.
std::vector<std::uint8_t> bytes_at(const Memory& memory, Address from, std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  while (!bytes.empty() && !memory.read(from, bytes.data(), bytes.size())) bytes.resize(bytes.size() / 2);
  return bytes;
}

std::int32_t displacement_at(const std::vector<std::uint8_t>& bytes, std::size_t at) {
  std::int32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// An entry of the procedure linkage table is `[endbr64] [bnd] jmp *GOT(%rip)`: what the GOT holds; else the address itself.
Address through_plt(const Memory& memory, Address address) {
  auto code = bytes_at(memory, address, 16);
  if (code.size() < 16) return address;
  constexpr std::uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
  std::size_t at = std::equal(std::begin(endbr64), std::end(endbr64), code.begin()) ? 4 : 0;
  if (code[at] == 0xf2) ++at;
  if (code[at] != 0xff || code[at + 1] != 0x25) return address;
  Address slot = address + at + 6 + static_cast<std::uint64_t>(std::int64_t{displacement_at(code, at + 2)});
  return memory.pointer(slot).value_or(address);
}

/// The physical function at an address, as one word.
std::string function_at(Symbols& symbols, const Module& module, Address address) {
  return symbols.at(module, module.offset(address)).back().full;
}

/// Decodes from a function's entry to its end.
class Scan {
 public:
  Scan(Symbols& symbols, const Module& module, const Memory& memory, Address entry)
      : symbols_(symbols), module_(module), memory_(memory), entry_(entry), function_(function_at(symbols, module, entry)) {
    ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  }

  std::vector<LeavingJump> run() {
    auto code = bytes_at(memory_, entry_, longest_function);
    for (std::size_t at = 0; at < code.size();) {
      Address address = entry_ + at;
      if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder_, code.data() + at, code.size() - at, &instruction_, operands_))) return {};
      if (may_begin_another_ && !inside(address)) break;
      bool is_jump = instruction_.meta.category == ZYDIS_CATEGORY_UNCOND_BR;
      if (is_jump) add(address);
      may_begin_another_ = is_jump || instruction_.meta.category == ZYDIS_CATEGORY_RET || may_begin_another_;
      at += instruction_.length;
    }
    return std::move(jumps_);
  }

 private:
  bool inside(Address address) { return module_.contains(address) && function_at(symbols_, module_, address) == function_; }

  void add(Address address) {
    const auto& operand = operands_[0];
    std::uint64_t target = 0;
    bool direct = operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
    if (direct && ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&instruction_, &operand, address.value, &target))) {
      if (!inside({target})) jumps_.push_back({address, through_plt(memory_, {target})});
    } else if (!direct && !(instruction_.attributes & ZYDIS_ATTRIB_HAS_NOTRACK)) {
      jumps_.push_back({address, std::nullopt});
    }
  }

  Symbols& symbols_;
  const Module& module_;
  const Memory& memory_;
  Address entry_;
  std::string function_;
  bool may_begin_another_ = false;  ///< After a jump or return the next instruction may be another function's, or padding before one.
  ZydisDecoder decoder_;
  ZydisDecodedInstruction instruction_;
  ZydisDecodedOperand operands_[ZYDIS_MAX_OPERAND_COUNT];
  std::vector<LeavingJump> jumps_;
};

}  // namespace

std::vector<LeavingJump> leaving_jumps(Symbols& symbols, const Module& module, const Memory& memory, Address entry) {
  return Scan(symbols, module, memory, entry).run();
}

std::optional<Address> called_before(const Memory& memory, Address return_address) {
  constexpr std::size_t call_size = 5;
  auto code = bytes_at(memory, return_address - call_size, call_size);
  if (code.size() < call_size || code[0] != 0xe8) return std::nullopt;
  return through_plt(memory, return_address + static_cast<std::uint64_t>(std::int64_t{displacement_at(code, 1)}));
}

}  // namespace callpath::session
