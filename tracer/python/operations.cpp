#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

#include "python/frames.hpp"

// The operations of one statement and the columns that belong to each alone.
namespace callpath {
namespace {

// What a reader would call an operation of the line. Loading names and building displays
// run no code of the user's types.
constexpr std::array<std::string_view, 32> operation_opcodes{
    "BINARY_OP",         "BINARY_SUBSCR",       "STORE_SUBSCR",    "DELETE_SUBSCR", "CALL",           "CALL_FUNCTION_EX",
    "COMPARE_OP",        "CONTAINS_OP",         "UNARY_NOT",       "UNARY_INVERT",  "UNARY_NEGATIVE", "UNARY_POSITIVE",
    "GET_ITER",          "GET_YIELD_FROM_ITER", "FOR_ITER",        "LOAD_ATTR",     "STORE_ATTR",     "DELETE_ATTR",
    "IMPORT_NAME",       "IMPORT_STAR",         "UNPACK_SEQUENCE", "FORMAT_VALUE",  "BEFORE_WITH",    "SEND",
    "WITH_EXCEPT_START", "MATCH_CLASS",         "BINARY_SLICE",    "STORE_SLICE",   "CALL_KW",        "FORMAT_SIMPLE",
    "FORMAT_WITH_SPEC",  "LOAD_SUPER_ATTR"};

// A method's look-up is half of its call: an opcode of its own up to 3.11, later a flag of LOAD_ATTR.
bool is_method_lookup(const Instruction& i) {
  const bool flagged = i.opcode == "LOAD_ATTR" || i.opcode == "LOAD_SUPER_ATTR";
  return i.opcode == "LOAD_METHOD" || (flagged && i.argrepr.find("NULL|self") != std::string::npos);
}

}  // namespace

bool is_operation(const Instruction& i) {
  return !is_method_lookup(i) && std::find(operation_opcodes.begin(), operation_opcodes.end(), i.opcode) != operation_opcodes.end();
}

namespace {

using Instructions = std::vector<Instruction>;
using Place = std::pair<int, int>;  // line, column

struct Range {
  Place begin, end;
  bool operator==(const Range&) const = default;
  bool holds(const Range& other) const { return begin <= other.begin && other.end <= end; }
};

std::optional<Range> range_of(const Instruction& i) {
  if (!i.line || !i.end_line || !i.column || !i.end_column) return std::nullopt;
  return Range{{*i.line, *i.column}, {*i.end_line, *i.end_column}};
}

// The call of __exit__ at the end of a `with` block carries the columns of the whole block: it begins with three equal constants over
// several lines, which no expression does. It is a statement of its own, or all lines of the block would become one.
bool begins_with_exit(const Instructions& code, std::size_t at) {
  if (at + 2 >= code.size() || code[at].opcode != "LOAD_CONST" || !code[at].line || code[at].line == code[at].end_line) return false;
  const auto same = [&](const Instruction& i) {
    return i.opcode == "LOAD_CONST" && i.arg == code[at].arg && range_of(i) == range_of(code[at]);
  };
  return same(code[at + 1]) && same(code[at + 2]);
}

bool is_boundary(const Instructions& code, std::size_t at) {
  return begins_with_exit(code, at) || code[at].opcode == "PUSH_EXC_INFO" || code[at].opcode == "WITH_EXCEPT_START";
}

// The entry into a `with` block, too, carries the lines of the block.
int last_line(const Instruction& i) {
  const bool enters_block = i.opcode == "BEFORE_WITH" || i.opcode == "BEFORE_ASYNC_WITH";
  return enters_block ? *i.line : i.end_line.value_or(*i.line);
}

struct Lines {
  int first, last;
  bool touches(const Instruction& i) const { return *i.line <= last && last_line(i) >= first; }
  void take_in(const Instruction& i) {
    first = std::min(first, *i.line);
    last = std::max(last, last_line(i));
  }
};

struct Statement {
  std::size_t begin, end;  // Indices of instructions.
};

// Grows over neighbours whose lines overlap; instructions without a line are passed over.
Statement statement_around(const Instructions& code, std::size_t current) {
  Statement statement{current, current + 1};
  if (!code[current].line) return statement;
  Lines lines{*code[current].line, last_line(code[current])};
  for (bool grew = true; grew;) {
    grew = false;
    for (std::size_t i = statement.end; i < code.size() && !is_boundary(code, i); ++i) {
      if (!code[i].line) continue;
      if (!lines.touches(code[i])) break;
      lines.take_in(code[i]), statement.end = i + 1, grew = true;
    }
    for (std::size_t i = statement.begin; i-- > 0 && !is_boundary(code, i + 1);) {
      if (!code[i].line) continue;
      if (!lines.touches(code[i])) break;
      lines.take_in(code[i]), statement.begin = i, grew = true;
    }
  }
  return statement;
}

// One operation with what lies in its columns.
class Marker {
 public:
  Marker(const Instructions& code, Statement statement, const std::vector<std::size_t>& operations, const Excerpt* source)
      : code_(code), statement_(statement), operations_(operations), source_(source) {}

  void mark(std::size_t at, Operation& operation) const {
    const auto whole = range_of(code_[at]);
    if (!whole) return;
    Place begin = after_first_operand(at, *whole);
    const int line = whole->begin.first;
    if (begin.first != line) return;
    const auto text = text_of(line);
    int end = whole->end.second;
    if (whole->end.first != line) {
      if (!text) return;
      end = static_cast<int>(text->size());
    }
    std::tie(begin.second, end) = first_piece(at, *whole, begin.second, end, line);
    if (text) std::tie(begin.second, end) = trimmed(*text, begin.second, end, takes_left_operand(code_[at].opcode));
    if (begin.second < end) operation.mark_begin = begin.second, operation.mark_end = end;
  }

 private:
  static bool takes_left_operand(const std::string& opcode) {
    return opcode == "BINARY_OP" || opcode == "BINARY_SUBSCR" || opcode == "STORE_SUBSCR" || opcode == "DELETE_SUBSCR" ||
           opcode == "COMPARE_OP" || opcode == "CONTAINS_OP" || opcode == "CALL" || opcode == "CALL_KW" || opcode == "BINARY_SLICE" ||
           opcode == "STORE_SLICE" || opcode == "CALL_FUNCTION_EX" || opcode == "LOAD_ATTR" || opcode == "STORE_ATTR" ||
           opcode == "DELETE_ATTR";
  }

  // Ranges strictly inside an operation's that were computed before it; a method's look-up is part of its call.
  template <class Function>
  void each_inside(std::size_t at, const Range& whole, Function use) const {
    for (std::size_t i = statement_.begin; i < statement_.end; ++i) {
      const auto range = range_of(code_[i]);
      if (range && i != at && whole.holds(*range) && *range != whole && !is_method_lookup(code_[i])) use(i, *range);
    }
  }

  // Where the operand that stands leftmost ends; the largest one if several begin there.
  Place after_first_operand(std::size_t at, const Range& whole) const {
    if (!takes_left_operand(code_[at].opcode)) return whole.begin;
    std::optional<Range> first;
    each_inside(at, whole, [&](std::size_t, const Range& range) {
      if (!first || range.begin < first->begin || (range.begin == first->begin && range.end > first->end)) first = range;
    });
    return first && first->end < whole.end ? first->end : whole.begin;
  }

  // [begin, end) without the columns of nested operations: the first piece that is left.
  std::pair<int, int> first_piece(std::size_t at, const Range& whole, int begin, int end, int line) const {
    std::vector<std::pair<int, int>> holes;
    each_inside(at, whole, [&](std::size_t i, const Range& range) {
      if (!std::binary_search(operations_.begin(), operations_.end(), i) || range.begin.first > line || range.end.first < line) return;
      holes.emplace_back(range.begin.first < line ? 0 : range.begin.second, range.end.first > line ? end : range.end.second);
    });
    std::sort(holes.begin(), holes.end());
    for (const auto& [hole_begin, hole_end] : holes) {
      if (hole_begin > begin) return {begin, std::min(end, hole_begin)};
      begin = std::max(begin, hole_end);
    }
    return {begin, end};
  }

  std::optional<std::string_view> text_of(int line) const {
    if (!source_ || line < source_->first || line >= source_->first + static_cast<int>(source_->lines.size())) return std::nullopt;
    return source_->lines[static_cast<std::size_t>(line - source_->first)];
  }

  // Without blanks at both ends, the comment of a line, and brackets that close the operand before it.
  static std::pair<int, int> trimmed(std::string_view text, int begin, int end, bool operand_before) {
    end = std::min(end, static_cast<int>(text.size()));
    const auto blank = [&](int i) { return text[static_cast<std::size_t>(i)] == ' ' || text[static_cast<std::size_t>(i)] == '\t'; };
    while (begin < end && (blank(begin) || (operand_before && text[static_cast<std::size_t>(begin)] == ')'))) ++begin;
    while (end > begin && (blank(end - 1) || text[static_cast<std::size_t>(end - 1)] == '\\')) --end;
    return {begin, end};
  }

  const Instructions& code_;
  Statement statement_;
  const std::vector<std::size_t>& operations_;
  const Excerpt* source_;
};

// PRECALL and CALL are one call of which either may be running.
std::size_t current_operation(const Instructions& code, std::size_t at) {
  return code[at].opcode == "PRECALL" && at + 1 < code.size() && code[at + 1].opcode == "CALL" ? at + 1 : at;
}

std::optional<std::size_t> index_at(const Instructions& code, int offset) {
  if (code.empty() || offset < 0) return std::nullopt;
  const auto after = std::upper_bound(code.begin(), code.end(), offset, [](int o, const Instruction& i) { return o < i.offset; });
  return static_cast<std::size_t>(after - code.begin()) - 1;
}

Operation operation_of(const Instruction& i, int current) {
  Operation operation;
  operation.offset = i.offset;
  operation.opcode = i.opcode;
  operation.argrepr = i.argrepr;
  operation.line = i.line, operation.end_line = i.end_line, operation.column = i.column, operation.end_column = i.end_column;
  operation.state = i.offset < current ? "returned" : i.offset == current ? "current" : "pending";
  return operation;
}

}  // namespace

std::vector<Operation> operations_of_statement(const RawCode& raw, int offset, const Excerpt* source) {
  const Instructions code = decode_all(raw);
  const auto found = index_at(code, offset);
  if (!found) return {};
  const std::size_t current = current_operation(code, *found);
  const Statement statement = statement_around(code, current);
  std::vector<std::size_t> indices;
  for (std::size_t i = statement.begin; i < statement.end; ++i)
    if (i == current || (code[i].line && is_operation(code[i]))) indices.push_back(i);
  const Marker marker(code, statement, indices, source);
  std::vector<Operation> operations;
  for (const std::size_t i : indices) {
    operations.push_back(operation_of(code[i], code[current].offset));
    marker.mark(i, operations.back());
  }
  return operations;
}

std::optional<StatementRange> statement_range(const RawCode& raw, int offset) {
  const Instructions code = decode_all(raw);
  const auto found = index_at(code, offset);
  if (!found) return std::nullopt;
  const Statement statement = statement_around(code, *found);
  StatementRange range;
  range.begin = code[statement.begin].offset;
  range.end = statement.end < code.size() ? code[statement.end].offset : static_cast<int>(raw.bytecode.size());
  for (std::size_t i = statement.begin; i < statement.end; ++i) range.has_operations |= code[i].line && is_operation(code[i]);
  return range;
}

}  // namespace callpath
