#include <algorithm>
#include <array>

#include "python/frames.hpp"
#include "python/layout.h"
#include "python/line_table.hpp"

// Bytecode to instructions, as `dis` shows them.
namespace callpath {
namespace {

const callpath_python_opcodes* opcodes_of(std::uint32_t hex_version) {
  return hex_version >> 16 == 0x030b ? &callpath_opcodes_3_11 : nullptr;
}

constexpr std::array comparisons{"<", "<=", "==", "!=", ">", ">="};
constexpr std::array with_name{"STORE_NAME",  "DELETE_NAME",  "LOAD_NAME",     "STORE_ATTR",  "DELETE_ATTR", "LOAD_ATTR",
                               "LOAD_METHOD", "STORE_GLOBAL", "DELETE_GLOBAL", "IMPORT_NAME", "IMPORT_FROM"};

std::string name_at(const RawCode& code, unsigned index) { return index < code.names.size() ? code.names[index] : std::string{}; }

std::string argument_text(const RawCode& code, const callpath_python_opcodes& opcodes, const Instruction& instruction) {
  const auto arg = static_cast<unsigned>(instruction.arg);
  const std::string& opcode = instruction.opcode;
  if (opcode == "BINARY_OP") return arg < opcodes.operator_count ? opcodes.operators[arg] : "";
  if (opcode == "COMPARE_OP") return arg < comparisons.size() ? comparisons[arg] : "";
  if (opcode == "CONTAINS_OP") return arg ? "not in" : "in";
  if (opcode == "IS_OP") return arg ? "is not" : "is";
  if (opcode == "LOAD_GLOBAL") return (arg & 1 ? "NULL + " : "") + name_at(code, arg >> 1);
  if (std::find(with_name.begin(), with_name.end(), opcode) != with_name.end()) return name_at(code, arg);
  return {};
}

std::string opcode_name(const callpath_python_opcodes& opcodes, unsigned opcode) {
  return opcodes.names[opcode] ? opcodes.names[opcode] : "<" + std::to_string(opcode) + ">";
}

class Decoder {
 public:
  Decoder(const RawCode& code, const callpath_python_opcodes& opcodes)
      : code_(code),
        opcodes_(opcodes),
        units_(code.bytecode.size() / 2),
        positions_(read_line_table(code.line_table, code.first_line, units_)) {}

  bool at_end() const { return unit_ >= units_; }
  std::size_t unit() const { return unit_; }  ///< Where the next instruction begins.

  Instruction next() {
    const unsigned opcode = code_.bytecode[2 * unit_], base = opcodes_.base[opcode];
    Instruction instruction;
    instruction.offset = static_cast<int>(2 * unit_);
    instruction.opcode = opcode_name(opcodes_, base);
    instruction.specialized = opcode_name(opcodes_, opcode);
    const unsigned arg = code_.bytecode[2 * unit_ + 1] | extended_;
    extended_ = instruction.opcode == "EXTENDED_ARG" ? arg << 8 : 0;
    instruction.arg = static_cast<int>(arg);
    instruction.argrepr = argument_text(code_, opcodes_, instruction);
    const Position& position = positions_[unit_];
    instruction.line = position.line, instruction.end_line = position.end_line;
    instruction.column = position.column, instruction.end_column = position.end_column;
    unit_ += 1 + opcodes_.caches[base];
    return instruction;
  }

 private:
  const RawCode& code_;
  const callpath_python_opcodes& opcodes_;
  std::size_t units_, unit_ = 0;
  std::vector<Position> positions_;
  unsigned extended_ = 0;
};

}  // namespace

bool can_decode(std::uint32_t hex_version) { return opcodes_of(hex_version) != nullptr; }

std::vector<Instruction> decode_all(const RawCode& code) {
  std::vector<Instruction> out;
  if (!can_decode(code.hex_version)) return out;
  for (Decoder decoder(code, *opcodes_of(code.hex_version)); !decoder.at_end();) out.push_back(decoder.next());
  return out;
}

std::optional<Instruction> decode_instruction(const RawCode& code, int offset) {
  if (!can_decode(code.hex_version) || offset < 0) return std::nullopt;
  for (Decoder decoder(code, *opcodes_of(code.hex_version)); !decoder.at_end();) {
    Instruction instruction = decoder.next();
    if (static_cast<std::size_t>(offset) < 2 * decoder.unit()) return instruction;
  }
  return std::nullopt;
}

}  // namespace callpath
