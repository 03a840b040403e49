#include "capture/cfi.hpp"

#include "capture/bytes.hpp"

namespace callpath::capture {
namespace {

// DWARF's numbers of registers on x86-64.
enum : unsigned { dw_rbx = 3, dw_rbp = 6, dw_rsp = 7, dw_r12 = 12, dw_r15 = 15, dw_rip = 16, dw_count = 17 };

int carried_index(std::uint64_t dwarf_register) {
  switch (dwarf_register) {
    case dw_rbx:
      return 0;
    case dw_rbp:
      return rbp_index;
    default:
      return dwarf_register >= dw_r12 && dwarf_register <= dw_r15 ? static_cast<int>(dwarf_register - dw_r12) + 2 : -1;
  }
}

/// The registers whose rules matter: the carried ones, then these.
enum : int { rsp_rule = carried, rip_rule, tracked };

int tracked_index(std::uint64_t dwarf_register) {
  if (dwarf_register == dw_rsp) return rsp_rule;
  return dwarf_register == dw_rip ? static_cast<int>(rip_rule) : carried_index(dwarf_register);
}

/// Where a register's value is.
struct Rule {
  enum Kind : std::uint8_t { same, at_cfa, expression, undefined, other } kind = same;
  std::int64_t offset = 0;                ///< at_cfa: from the CFA.
  std::uint64_t code = 0, code_size = 0;  ///< expression: its address and size; it yields the place, not the value.
};

struct State {
  std::uint64_t cfa_register = 0;
  std::int64_t cfa_offset = 0;
  std::uint64_t cfa_code = 0, cfa_code_size = 0;  ///< An expression, where the size is not 0.
  Rule rules[tracked];
};

struct Entry {
  std::uint64_t program = 0, end = 0;
};

struct Common {
  Entry entry;
  std::uint64_t code_align = 1;
  std::int64_t data_align = -8;
  std::uint8_t pointer_encoding = 0;
  bool augmented = false, ok = false;
};

/// The content of a length-prefixed entry.
Bytes entry_at(std::uint64_t at, std::uint64_t end) {
  Bytes bytes(at, end);
  std::uint64_t size = bytes.take<std::uint32_t>();
  if (size == 0xffffffff) size = bytes.take<std::uint64_t>();
  return size <= bytes.left() ? Bytes(bytes.at(), bytes.at() + size) : Bytes(end, end);
}

unsigned encoded_size(std::uint8_t encoding) {
  switch (encoding & 0x0f) {
    case 0x02:
    case 0x0a:
      return 2;
    case 0x03:
    case 0x0b:
      return 4;
    case 0x00:
    case 0x04:
    case 0x0c:
      return 8;
    default:
      return 0;
  }
}

Common read_common(std::uint64_t at, std::uint64_t end) {
  Common c;
  Bytes bytes = entry_at(at, end);
  c.entry.end = bytes.at() + bytes.left();
  if (bytes.take<std::uint32_t>() != 0) return c;
  const auto version = bytes.take<std::uint8_t>();
  if (version != 1 && version != 3) return c;
  char augmentation[8] = {};
  for (unsigned i = 0;; ++i) {
    if (i == sizeof augmentation || bytes.overrun()) return c;
    if (!(augmentation[i] = bytes.take<char>())) break;
  }
  c.code_align = bytes.unsigned_leb();
  c.data_align = bytes.signed_leb();
  const auto return_register = version == 1 ? bytes.take<std::uint8_t>() : bytes.unsigned_leb();
  if (return_register != dw_rip) return c;
  c.augmented = augmentation[0] == 'z';
  if (augmentation[0] && !c.augmented) return c;
  const auto data_size = c.augmented ? bytes.unsigned_leb() : 0;
  if (data_size > bytes.left()) return c;
  c.entry.program = bytes.at() + data_size;
  Bytes data(bytes.at(), c.entry.program);
  for (unsigned i = 1; c.augmented && augmentation[i]; ++i) {
    if (augmentation[i] == 'R') c.pointer_encoding = data.take<std::uint8_t>();
    if (augmentation[i] == 'L') data.skip(1);
    if (augmentation[i] == 'P' && !data.skip(encoded_size(data.take<std::uint8_t>()))) return c;
    if (augmentation[i] == 'S') return c;  // a signal frame: read from the kernel's context, not by rules
  }
  c.ok = !data.overrun() && !bytes.overrun();
  return c;
}

/// Runs the instructions of an entry until the row of `target` stands in the state.
class Program {
 public:
  Program(const Common& common, std::uint64_t start, std::uint64_t target) : common_(common), location_(start), target_(target) {}

  State state;

  bool run(Entry entry, bool initial) {
    Bytes bytes(entry.program, entry.end);
    while (bytes.more() && !past_)
      if (!step(bytes)) return false;
    if (initial) initial_ = state;
    return !bytes.overrun();
  }

 private:
  static constexpr unsigned deepest = 8;

  bool step(Bytes& bytes) {
    const auto byte = bytes.take<std::uint8_t>();
    const std::uint64_t low = byte & 0x3f;
    switch (byte & 0xc0) {
      case 0x40:
        return advance(low);
      case 0x80:
        return at_cfa(low, static_cast<std::int64_t>(bytes.unsigned_leb()) * common_.data_align);
      case 0xc0:
        return restore(low);
      default:
        return extended(low, bytes);
    }
  }

  bool extended(std::uint64_t code, Bytes& bytes) {
    const auto number = [&] { return bytes.unsigned_leb(); };
    const auto factored = [&] { return bytes.signed_leb() * common_.data_align; };
    std::uint64_t r;
    switch (code) {
      case 0x00:  // nop
        return true;
      case 0x02:
        return advance(bytes.take<std::uint8_t>());
      case 0x03:
        return advance(bytes.take<std::uint16_t>());
      case 0x04:
        return advance(bytes.take<std::uint32_t>());
      case 0x05:  // offset_extended
        r = number();
        return at_cfa(r, static_cast<std::int64_t>(number()) * common_.data_align);
      case 0x06:
        return restore(number());
      case 0x07:
        return set(number(), {Rule::undefined});
      case 0x08:
        return set(number(), {Rule::same});
      case 0x09:  // register
        r = number();
        number();
        return set(r, {Rule::other});
      case 0x0a:
        return remember();
      case 0x0b:
        return recall();
      case 0x0c:
        r = number();
        return cfa(r, static_cast<std::int64_t>(number()));
      case 0x0d:
        return cfa(number(), state.cfa_offset);
      case 0x0e:
        return cfa(state.cfa_register, static_cast<std::int64_t>(number()));
      case 0x0f:
        state.cfa_code_size = number();
        state.cfa_code = bytes.at();
        return bytes.skip(state.cfa_code_size);
      case 0x10: {
        r = number();
        const auto size = number();
        const auto at = bytes.at();
        return bytes.skip(size) && set(r, {Rule::expression, 0, at, size});
      }
      case 0x11:
        r = number();
        return at_cfa(r, factored());
      case 0x12:
        r = number();
        return cfa(r, factored());
      case 0x13:
        return cfa(state.cfa_register, factored());
      case 0x2e:  // GNU_args_size
        number();
        return true;
      default:
        return false;
    }
  }

  bool advance(std::uint64_t units) {
    location_ += units * common_.code_align;
    past_ = location_ > target_;
    return true;
  }
  bool set(std::uint64_t r, Rule rule) {
    if (const int index = tracked_index(r); index >= 0) state.rules[index] = rule;
    return true;
  }
  bool at_cfa(std::uint64_t r, std::int64_t offset) { return set(r, {Rule::at_cfa, offset}); }
  bool restore(std::uint64_t r) {
    const int index = tracked_index(r);
    return index < 0 || set(r, initial_.rules[index]);
  }
  bool cfa(std::uint64_t r, std::int64_t offset) {
    state.cfa_register = r;
    state.cfa_offset = offset;
    state.cfa_code_size = 0;
    return true;
  }
  bool remember() {
    if (depth_ == deepest) return false;
    remembered_[depth_++] = state;
    return true;
  }
  bool recall() {
    if (depth_ == 0) return false;
    state = remembered_[--depth_];
    return true;
  }

  const Common& common_;
  std::uint64_t location_, target_;
  bool past_ = false;
  State initial_, remembered_[deepest];
  unsigned depth_ = 0;
};

/// A value in an expression: a register (or nothing) plus a number, or what is stored at such a place.
struct Term {
  std::uint64_t reg = dw_count;
  std::int64_t number = 0;
  bool stored = false;
  bool is_number() const { return reg == dw_count && !stored; }
};

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
      return push(reg == dw_rip ? Term{dw_count, static_cast<std::int64_t>(instruction) + offset} : Term{reg, offset});
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
        stack_[depth_ - 1].number += static_cast<std::int64_t>(bytes.unsigned_leb());
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
        a.number += b.number;
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
  if (rule.kind == Rule::at_cfa) return rule.offset % 8 == 0 ? -rule.offset / 8 - 1 : -1;
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
  if (fde < base || fde >= end) return Row();
  Bytes bytes = entry_at(fde, end);
  const std::uint64_t fde_end = bytes.at() + bytes.left(), common_place = bytes.at();
  const std::uint64_t common_at = common_place - bytes.take<std::uint32_t>();
  if (common_at < base || common_at >= end) return Row();
  const Common common = read_common(common_at, end);
  if (!common.ok) return Row();
  bytes.skip(2 * encoded_size(common.pointer_encoding));
  if (common.augmented) bytes.skip(bytes.unsigned_leb());
  if (bytes.overrun() || encoded_size(common.pointer_encoding) == 0) return Row();
  Program program(common, start, instruction);
  if (!program.run(common.entry, true) || !program.run({bytes.at(), fde_end}, false)) return Row();
  return row_of(program.state, instruction);
}

}  // namespace callpath::capture
