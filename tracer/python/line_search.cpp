#include "python/line_search.hpp"

#include <algorithm>
#include <unordered_set>

#include "python/objects.hpp"
#include "python/versions.hpp"

namespace callpath {
namespace {

constexpr std::size_t most_codes = 1'000'000;
constexpr std::int64_t most_constants = 1 << 20;

class Search {
 public:
  Search(const Interpreter& interpreter, const Memory& memory, int line)
      : interpreter_(interpreter),
        memory_(memory),
        layout_(*find_version(interpreter.hex_version)->layout),
        objects_(memory, *find_version(interpreter.hex_version), interpreter.code_type),
        line_(line) {}

  LineSearch run(Address code) {
    std::vector<Address> waiting{code};
    for (std::size_t i = 0; i < waiting.size() && i < most_codes; ++i) {
      if (!seen_.insert(waiting[i].value).second) continue;
      if (!look_at(waiting[i])) continue;
      for (const Address constant : constants(waiting[i])) waiting.push_back(constant);
    }
    if (!result_.statements.empty()) result_.next_line.reset();
    return std::move(result_);
  }

 private:
  // False if that is no code object.
  bool look_at(Address object) {
    const auto* const code = objects_.code(object);
    if (!code) return false;
    const CodeInfo& info = code->info;
    const RawCode raw{info.bytecode, info.line_table, info.first_line, info.names, -1, interpreter_.hex_version};
    const Instruction* on_line = nullptr;
    const auto instructions = decode_all(raw);
    for (const auto& instruction : instructions) {
      if (!instruction.line || instruction.opcode == "RESUME" || instruction.opcode == "MAKE_CELL" ||
          instruction.opcode == "COPY_FREE_VARS" || instruction.opcode == "RETURN_GENERATOR")
        continue;
      if (*instruction.line > line_ && (!result_.next_line || *instruction.line < *result_.next_line)) result_.next_line = instruction.line;
      const bool holds = *instruction.line <= line_ && line_ <= instruction.end_line.value_or(*instruction.line);
      if (*instruction.line == line_ && (!on_line || *on_line->line != line_)) on_line = &instruction;
      if (holds && !on_line && !spans_block(instruction)) on_line = &instruction;
    }
    if (!on_line) return true;
    const auto range = statement_range(raw, on_line->offset);
    if (!range) return true;
    FoundStatement found{object, info.qualname, info.file, *range, {}, code->first_instruction + static_cast<std::uint64_t>(range->begin)};
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      if (!range->holds(instructions[i].offset)) continue;
      std::size_t operation = i;
      while (operation + 1 < instructions.size() && prepares(instructions[operation])) ++operation;
      const auto& of = instructions[operation];
      found.instructions.push_back({instructions[i].offset, of.offset, of.opcode, is_operation(of)});
    }
    result_.statements.push_back(std::move(found));
    return true;
  }

  static bool prepares(const Instruction& i) { return i.opcode == "PRECALL" || i.opcode == "EXTENDED_ARG"; }

  // What enters a block, or makes a function or class, carries the lines of the whole block.
  static bool spans_block(const Instruction& i) {
    return i.opcode.rfind("BEFORE_", 0) == 0 || i.opcode == "MAKE_FUNCTION" || i.opcode == "LOAD_BUILD_CLASS" || i.opcode == "LOAD_CONST";
  }

  std::vector<Address> constants(Address code) const {
    std::vector<Address> items;
    const auto tuple = memory_.pointer(code + layout_.code_constants);
    const auto size = tuple ? memory_.get<std::int64_t>(*tuple + layout_.var_size) : std::nullopt;
    if (!size || *size <= 0 || *size > most_constants) return items;
    std::vector<std::uint64_t> pointers(static_cast<std::size_t>(*size));
    if (!memory_.read(*tuple + layout_.tuple_items, pointers.data(), pointers.size() * 8)) return items;
    for (const auto pointer : pointers)
      if (memory_.pointer(Address{pointer} + layout_.object_type) == interpreter_.code_type) items.push_back({pointer});
    return items;
  }

  const Interpreter& interpreter_;
  const Memory& memory_;
  const callpath_python_layout& layout_;
  ObjectReader objects_;
  int line_;
  std::unordered_set<std::uint64_t> seen_;
  LineSearch result_;
};

}  // namespace

std::optional<std::string> code_file(const Interpreter& interpreter, const Memory& memory, Address code) {
  const auto& layout = *find_version(interpreter.hex_version)->layout;
  if (interpreter.code_type && memory.pointer(code + layout.object_type) != interpreter.code_type) return std::nullopt;
  const auto text = memory.pointer(code + layout.code_file);
  return text ? read_python_text(interpreter, memory, *text) : std::nullopt;
}

LineSearch find_line(const Interpreter& interpreter, const Memory& memory, Address code, int line) {
  return Search(interpreter, memory, line).run(code);
}

}  // namespace callpath
