#include "session/jumps.hpp"

#include <Zydis/Zydis.h>

#include <algorithm>

#include "tables/code.hpp"

namespace callpath::session {
namespace {

constexpr std::size_t longest_function = 1 << 16;

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
    auto code = tables::code_bytes(memory_, entry_, longest_function);
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
      if (!inside({target})) jumps_.push_back({address, tables::through_plt(memory_, {target})});
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

}  // namespace callpath::session
