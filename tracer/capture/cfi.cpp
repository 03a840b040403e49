#include "capture/cfi.hpp"

#include "capture/bytes.hpp"
#include "capture/cfi_table.hpp"

namespace callpath::capture {
namespace {

/// A value in an expression: a register (or nothing) plus a number, or what is stored at such a place.
struct Term {
  std::uint64_t reg = dw_count;
  std::int64_t number = 0;
  bool stored = false;
  bool is_number() const { return reg == dw_count && !stored; }
};

/// Damaged tables have numbers of any size: they wrap around.
std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// Expressions as compilers and linkers write them: a place relative to a register, what is stored there, and the arithmetic on the
/// instruction's own address by which linkers describe a whole PLT at once.
class Expression {
 public:
  bool run(std::uint64_t code, std::uint64_t size, std::uint64_t instruction, Term& result) {
    Bytes bytes(code, code + size);
    while (bytes.more())
      if (!step(bytes, instruction)) return false;
    if (depth_ != 1 || bytes.overrun()) return false;
    result = stack_[0];
    return true;
  }

 private:
  bool push(Term t) { return depth_ < 4 && (stack_[depth_++] = t, true); }

  bool step(Bytes& bytes, std::uint64_t instruction) {
    const auto op = bytes.take<std::uint8_t>();
    if (op >= 0x30 && op <= 0x4f) return push({dw_count, op - 0x30});
    if (op >= 0x70 && op <= 0x8f) {
      const std::uint64_t reg = op - 0x70u;
      const auto offset = bytes.signed_leb();
      return push(reg == dw_rip ? Term{dw_count, sum(static_cast<std::int64_t>(instruction), offset)} : Term{reg, offset});
    }
    switch (op) {
      case 0x08:
        return push({dw_count, bytes.take<std::uint8_t>()});
      case 0x09:
        return push({dw_count, bytes.take<std::int8_t>()});
      case 0x06:  // deref
        if (depth_ == 0 || stack_[depth_ - 1].stored) return false;
        return stack_[depth_ - 1].stored = true;
      case 0x23:  // plus_uconst
        if (depth_ == 0 || stack_[depth_ - 1].stored) return false;
        stack_[depth_ - 1].number = sum(stack_[depth_ - 1].number, static_cast<std::int64_t>(bytes.unsigned_leb()));
        return true;
      default:
        return combine(op);
    }
  }

  bool combine(std::uint8_t op) {
    if (depth_ < 2) return false;
    const Term b = stack_[--depth_];
    Term& a = stack_[depth_ - 1];
    if (!b.is_number() || a.stored || (op != 0x22 && !a.is_number())) return false;
    switch (op) {
      case 0x1a:
        a.number &= b.number;
        return true;
      case 0x22:
        a.number = sum(a.number, b.number);
        return true;
      case 0x24:
        if (b.number < 0 || b.number > 62) return false;
        a.number = static_cast<std::int64_t>(static_cast<std::uint64_t>(a.number) << b.number);
        return true;
      case 0x2a:
        a.number = a.number >= b.number;
        return true;
      default:
        return false;
    }
  }

  Term stack_[4];
  unsigned depth_ = 0;
};

unsigned base_of(std::uint64_t dwarf_register) {
  if (dwarf_register == dw_rsp) return Row::rsp;
  const int index = carried_index(dwarf_register);
  return index < 0 ? 7 : static_cast<unsigned>(index);
}

Row cfa_row(const State& state, std::uint64_t instruction) {
  Term cfa{state.cfa_register, state.cfa_offset};
  if (state.cfa_code_size && !Expression().run(state.cfa_code, state.cfa_code_size, instruction, cfa)) return Row();
  const unsigned base = base_of(cfa.reg);
  return base > Row::rsp ? Row() : Row::frame(base, cfa.number, cfa.stored);
}

/// A register's place as words below the slot base, -1 if it is none of the two kinds.
std::int64_t words_below(const Rule& rule, std::uint64_t instruction) {
  if (rule.kind == Rule::at_cfa) return rule.offset % 8 == 0 ? rule.offset / -8 - 1 : -1;
  Term place;
  if (!Expression().run(rule.code, rule.code_size, instruction, place) || place.stored || place.reg != dw_rbp) return -1;
  return place.number % 8 == 0 ? 1 - place.number / 8 : -1;
}

bool add_slot(Row& row, int index, const Rule& rule, std::uint64_t instruction) {
  if (rule.kind == Rule::same) return true;
  if (rule.kind != Rule::at_cfa && rule.kind != Rule::expression) return false;
  std::int64_t words = words_below(rule, instruction);
  if (row.has_slots_at_rbp()) {
    if (words == Row::pushed_first) return false;
    if (rule.kind == Rule::at_cfa) {
      if (words != 1) return false;
      words = Row::pushed_first;
    }
  }
  return row.save(index, words);
}

Row row_of(const State& state, std::uint64_t instruction) {
  const Rule& return_address = state.rules[rip_rule];
  if (return_address.kind == Rule::undefined) {
    Row row = cfa_row(state, instruction);
    if (row) row.last();
    return row;
  }
  if (return_address.kind != Rule::at_cfa || return_address.offset != -8 || state.rules[rsp_rule].kind != Rule::same) return Row();
  Row row = cfa_row(state, instruction);
  if (!row) return row;
  for (const Rule& rule : state.rules)
    if (rule.kind == Rule::expression) row.slots_at_rbp();
  for (int i = 0; i < carried; ++i)
    if (!add_slot(row, i, state.rules[i], instruction)) return Row();
  return row;
}

}  // namespace

Row read_row(std::uint64_t fde, std::uint64_t start, std::uint64_t instruction, std::uint64_t base, std::uint64_t end) {
  State state;
  return read_state(fde, start, instruction, base, end, state) ? row_of(state, instruction) : Row();
}

}  // namespace callpath::capture
