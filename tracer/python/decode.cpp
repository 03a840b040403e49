#include <algorithm>
#include <array>

#include "python/frames.hpp"
#include "python/line_table.hpp"
#include "python/versions.hpp"

// Bytecode to instructions, as `dis` shows them.
namespace callpath {
namespace {

const callpath_python_opcodes* opcodes_of(std::uint32_t hex_version) {
  const auto* version = find_version(hex_version);
  return version ? version->opcodes : nullptr;
}

// By the argument of BINARY_OP, as in CPython's Include/opcode.h; the same in every version that has it.
constexpr std::array binary_operators{"+",  "&",  "//",  "<<",  "@",  "*",  "%",  "|",  "**",  ">>",  "-",  "/",  "^",
                                      "+=", "&=", "//=", "<<=", "@=", "*=", "%=", "|=", "**=", ">>=", "-=", "/=", "^="};
constexpr std::array comparisons{"<", "<=", "==", "!=", ">", ">="};
constexpr std::array with_name{"STORE_NAME",  "DELETE_NAME",  "LOAD_NAME",     "STORE_ATTR",  "DELETE_ATTR", "LOAD_ATTR",
                               "LOAD_METHOD", "STORE_GLOBAL", "DELETE_GLOBAL", "IMPORT_NAME", "IMPORT_FROM"};

std::string name_at(const RawCode& code, unsigned index) { return index < code.names.size() ? code.names[index] : std::string{}; }

/// The comparison stands above bits that say how it may be specialised, and from 3.13 whether its result is wanted as a bool.
std::string comparison_text(unsigned arg, int minor) {
  const unsigned which = minor >= 13 ? arg >> 5 : minor == 12 ? arg >> 4 : arg;
  if (which >= comparisons.size()) return "";
  const bool as_bool = minor >= 13 && (arg & 16);
  return as_bool ? std::string("bool(") + comparisons[which] + ")" : comparisons[which];
}

/// The lowest bit of an attribute's argument says from 3.12 on that a method is looked up to be called.
std::string attribute_text(const RawCode& code, unsigned arg, int minor) {
  if (minor < 12) return name_at(code, arg);
  const char* self = minor >= 13 ? " + NULL|self" : "NULL|self + ";
  if (!(arg & 1)) return name_at(code, arg >> 1);
  return minor >= 13 ? name_at(code, arg >> 1) + self : self + name_at(code, arg >> 1);
}

std::string global_text(const RawCode& code, unsigned arg, int minor) {
  const auto name = name_at(code, arg >> 1);
  if (!(arg & 1)) return name;
  return minor >= 13 ? name + " + NULL" : "NULL + " + name;
}

std::string argument_text(const RawCode& code, int minor, const Instruction& instruction) {
  const auto arg = static_cast<unsigned>(instruction.arg);
  const std::string& opcode = instruction.opcode;
  if (opcode == "BINARY_OP") return arg < binary_operators.size() ? binary_operators[arg] : "";
  if (opcode == "COMPARE_OP") return comparison_text(arg, minor);
  if (opcode == "CONTAINS_OP") return arg ? "not in" : "in";
  if (opcode == "IS_OP") return arg ? "is not" : "is";
  if (opcode == "LOAD_GLOBAL") return global_text(code, arg, minor);
  if (opcode == "LOAD_ATTR") return attribute_text(code, arg, minor);
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
    instruction.argrepr = argument_text(code_, opcodes_.minor, instruction);
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
