#include "values/expression.hpp"

#include <algorithm>
#include <cstring>

#include "symbols/module_state.hpp"
#include "values/types.hpp"

namespace callpath::dw {
namespace {

constexpr std::size_t most_steps = 10'000, deepest_stack = 1'000, largest_object = 1 << 20;

/// Stops an evaluation with what the user will read.
struct Unavailable {
  std::string reason;
};

struct Result {
  enum class Kind { address, reg, value, bytes } kind = Kind::address;
  std::uint64_t number = 0;  ///< Address, register or value.
  std::vector<std::uint8_t> bytes;
  std::vector<Range> gone;  ///< Pieces that have no place.
  bool in_pieces = false;
};

std::vector<std::uint8_t> little_endian(std::uint64_t value) {
  std::vector<std::uint8_t> bytes(8);
  std::memcpy(bytes.data(), &value, 8);
  return bytes;
}

std::uint64_t integer_register(const FrameContext& context, std::uint64_t number) {
  const auto& frame = context.frame;
  if (number == Registers::rsp) return frame.sp.value;
  if (number == Registers::rip) return frame.pc.value;
  if (number >= Registers::count) throw Unavailable{"in a register that was not captured"};
  if (!frame.registers.has(static_cast<int>(number))) throw Unavailable{optimised_out};  // overwritten by the calls further in
  return frame.registers.value[number];
}

std::vector<std::uint8_t> register_bytes(const FrameContext& context, std::uint64_t number) {
  const bool low = number >= 17 && number <= 32, high = number >= 67 && number <= 82;
  if (!low && !high) return little_endian(integer_register(context, number));
  if (!context.vectors || context.vectors->width == 0) throw Unavailable{optimised_out};  // vector registers do not survive a call
  const auto& r = context.vectors->value[low ? number - 17 : number - 67 + 16];
  return {r.begin(), r.begin() + context.vectors->width};
}

class Evaluation {
 public:
  Evaluation(const FrameContext& context, Dwarf_Attribute attribute, bool frame_base)
      : context_(context), attribute_(attribute), frame_base_(frame_base) {}

  /// One expression; pieces are put together.
  Result run(const Dwarf_Op* ops, std::size_t count) {
    if (count == 0) throw Unavailable{optimised_out};
    ops_ = ops, count_ = count;
    for (at_ = 0; at_ < count_; ++at_) {
      if (++steps_ > most_steps) throw Unavailable{"not readable (its location does not end)"};
      try {
        step(ops_[at_]);
      } catch (const Unavailable&) {
        if (!skip_piece()) throw;
      }
    }
    if (pieces_) {
      if (gone_.size() && gone_.front().begin == 0 && whole_is_gone()) throw Unavailable{optimised_out};
      return {Result::Kind::bytes, 0, std::move(composed_), std::move(gone_), true};
    }
    return take();
  }

 private:
  void push(std::uint64_t v) {
    if (stack_.size() >= deepest_stack) throw Unavailable{not_readable};
    stack_.push_back(v);
  }
  std::uint64_t pop() {
    if (stack_.empty()) throw Unavailable{not_readable};
    const auto v = stack_.back();
    stack_.pop_back();
    return v;
  }
  std::uint64_t& peek(std::size_t below) {
    if (below >= stack_.size()) throw Unavailable{not_readable};
    return stack_[stack_.size() - 1 - below];
  }

  /// Goes on with the next piece, if there is one: the rest of the object may still be there.
  bool skip_piece() {
    for (std::size_t i = at_; i < count_; ++i) {
      if (ops_[i].atom != DW_OP_piece) continue;
      if (ops_[i].number > largest_object) return false;
      stack_.clear();
      whole_.reset();
      floating_ = false;
      at_ = i;
      piece(ops_[i].number);
      return true;
    }
    return false;
  }

  bool whole_is_gone() const {
    std::uint64_t missing = 0;
    for (const auto& r : gone_) missing += r.end - r.begin;
    return missing == composed_.size();
  }

  Result take() {
    if (whole_) {
      auto r = std::move(*whole_);
      whole_.reset();
      return r;
    }
    return {Result::Kind::address, pop(), {}, {}, false};
  }

  void load(std::size_t size) {
    std::uint64_t value = 0;
    const auto from = pop();
    if (size > 8 || !context_.memory.read({from}, &value, size)) throw Unavailable{not_readable};
    push(value);
  }

  void piece(std::size_t size) {
    pieces_ = true;
    if (composed_.size() + size > largest_object) throw Unavailable{not_readable};
    std::vector<std::uint8_t> bytes;
    if (whole_ || !stack_.empty()) bytes = piece_bytes(size);
    if (bytes.empty()) gone_.push_back({composed_.size(), composed_.size() + size});
    bytes.resize(size);
    composed_.insert(composed_.end(), bytes.begin(), bytes.end());
  }

  /// Empty if its place is a register that later calls have overwritten.
  std::vector<std::uint8_t> piece_bytes(std::size_t size) {
    const Result r = take();
    try {
      return bytes_of(r, size);
    } catch (const Unavailable&) {
      return {};
    }
  }

  std::vector<std::uint8_t> bytes_of(const Result& r, std::size_t size) {
    switch (r.kind) {
      case Result::Kind::reg:
        return register_bytes(context_, r.number);
      case Result::Kind::value:
        return little_endian(r.number);
      case Result::Kind::bytes:
        return r.bytes;
      default:
        break;
    }
    std::vector<std::uint8_t> bytes(size);
    if (!context_.memory.read({r.number}, bytes.data(), size)) throw Unavailable{not_readable};
    return bytes;
  }

  std::uint64_t frame_base();
  void jump(std::int64_t bytes);
  void step(const Dwarf_Op&);
  std::uint64_t at_entry(const Dwarf_Op&);
  bool constant(const Dwarf_Op&);
  bool place(const Dwarf_Op&);
  bool typed(const Dwarf_Op&);
  std::uint64_t as_type(const Dwarf_Op&, std::uint64_t);
  bool shuffle(const Dwarf_Op&);
  bool arithmetic(const Dwarf_Op&);
  bool comparison(const Dwarf_Op&);

  const FrameContext& context_;
  Dwarf_Attribute attribute_;
  bool frame_base_;
  const Dwarf_Op* ops_ = nullptr;
  std::size_t count_ = 0, at_ = 0, steps_ = 0;
  std::vector<std::uint64_t> stack_;
  std::optional<Result> whole_;
  bool pieces_ = false, floating_ = false;
  std::vector<Range> gone_;
  std::vector<std::uint8_t> composed_;
};

/// The expression of an attribute that holds at an address.
Result evaluate(const FrameContext& context, Dwarf_Attribute attribute, bool frame_base) {
  Dwarf_Op* ops = nullptr;
  std::size_t count = 0;
  const int found = dwarf_getlocation_addr(&attribute, context.pc(), &ops, &count, 1);
  if (found < 0) throw Unavailable{not_readable};
  if (found == 0) throw Unavailable{optimised_out};  // no place at this address
  return Evaluation(context, attribute, frame_base).run(ops, count);
}

std::uint64_t Evaluation::frame_base() {
  if (frame_base_) throw Unavailable{not_readable};  // a frame base that needs itself
  const auto base = context_.function ? attribute_of_origin(*context_.function, DW_AT_frame_base) : std::nullopt;
  if (!base) throw Unavailable{not_readable};
  const Result r = evaluate(context_, *base, true);
  return r.kind == Result::Kind::reg ? integer_register(context_, r.number) : r.number;
}

void Evaluation::jump(std::int64_t bytes) {
  const auto target = static_cast<std::int64_t>(ops_[at_].offset) + 3 + bytes;
  for (std::size_t i = 0; i < count_; ++i)
    if (static_cast<std::int64_t>(ops_[i].offset) == target) {
      at_ = i - 1;  // the loop steps on; wraps and comes back for the first one
      return;
    }
  at_ = count_ - 1;
}

std::uint64_t Evaluation::at_entry(const Dwarf_Op& op) {
  Dwarf_Attribute held;
  Dwarf_Op* inner = nullptr;
  std::size_t count = 0;
  if (dwarf_getlocation_attr(&attribute_, &op, &held) != 0 || dwarf_getlocation(&held, &inner, &count) != 0 || count == 0)
    throw Unavailable{optimised_out};
  const bool plain = inner[0].atom >= DW_OP_reg0 && inner[0].atom <= DW_OP_reg31;
  const bool typed = inner[0].atom == DW_OP_regval_type || inner[0].atom == DW_OP_GNU_regval_type || inner[0].atom == DW_OP_regx;
  if (count != 1 || !(plain || typed)) throw Unavailable{optimised_out};
  const auto value = value_at_entry(context_, plain ? inner[0].atom - DW_OP_reg0 : inner[0].number);
  if (!value) throw Unavailable{optimised_out};
  return *value;
}

bool Evaluation::constant(const Dwarf_Op& op) {
  const int a = op.atom;
  if (a >= DW_OP_lit0 && a <= DW_OP_lit31) return push(a - DW_OP_lit0), true;
  switch (a) {
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts:
      push(op.number);
      return true;
    case DW_OP_addr:
      push(op.number + context_.module.bias);
      return true;
    case DW_OP_addrx:
    case DW_OP_GNU_addr_index:
    case DW_OP_constx:
    case DW_OP_GNU_const_index: {
      Dwarf_Attribute held;
      Dwarf_Addr address = 0;
      if (dwarf_getlocation_attr(&attribute_, &op, &held) != 0) throw Unavailable{not_readable};
      if (dwarf_formaddr(&held, &address) != 0) throw Unavailable{not_readable};
      push(a == DW_OP_addrx || a == DW_OP_GNU_addr_index ? address + context_.module.bias : address);
      return true;
    }
    default:
      return false;
  }
}

bool Evaluation::place(const Dwarf_Op& op) {
  const int a = op.atom;
  if (a >= DW_OP_reg0 && a <= DW_OP_reg31)
    return whole_ = Result{Result::Kind::reg, static_cast<std::uint64_t>(a - DW_OP_reg0), {}, {}, false}, true;
  if (a >= DW_OP_breg0 && a <= DW_OP_breg31) return push(integer_register(context_, a - DW_OP_breg0) + op.number), true;
  switch (a) {
    case DW_OP_regx:
      whole_ = Result{Result::Kind::reg, op.number, {}, {}, false};
      return true;
    case DW_OP_bregx:
      push(integer_register(context_, op.number) + op.number2);
      return true;
    case DW_OP_fbreg:
      push(frame_base() + op.number);
      return true;
    case DW_OP_call_frame_cfa:
      if (!context_.frame.cfa) throw Unavailable{not_readable};
      push(context_.frame.cfa.value);
      return true;
    case DW_OP_stack_value:
      whole_ = Result{Result::Kind::value, pop(), {}, {}, false};
      return true;
    case DW_OP_implicit_value: {
      Dwarf_Block block;
      if (dwarf_getlocation_implicit_value(&attribute_, &op, &block) != 0 || block.length > largest_object) throw Unavailable{not_readable};
      whole_ = Result{Result::Kind::bytes, 0, {block.data, block.data + block.length}, {}, false};
      return true;
    }
    case DW_OP_piece:
      piece(op.number);
      return true;
    case DW_OP_bit_piece:
      if (op.number % 8 != 0 || op.number2 != 0) throw Unavailable{"not readable (in pieces of bits)"};
      piece(op.number / 8);
      return true;
    case DW_OP_implicit_pointer:
    case DW_OP_GNU_implicit_pointer:
      throw Unavailable{"optimised out (a pointer to something that is not in memory)"};
    case DW_OP_entry_value:
    case DW_OP_GNU_entry_value:
      push(at_entry(op));
      return true;
    case DW_OP_form_tls_address:
    case DW_OP_GNU_push_tls_address:
      throw Unavailable{"not readable (thread-local)"};
    default:
      return false;
  }
}

/// A value as an integer type sees it. Floating-point values pass unchanged and then may not be calculated with.
std::uint64_t Evaluation::as_type(const Dwarf_Op& op, std::uint64_t value) {
  Die type;
  if (dwarf_getlocation_die(&attribute_, &op, &type) != 0) return value;  // the generic type
  const auto size = byte_size(type);
  if (size == 0 || size > 8) throw Unavailable{not_readable};
  if (kind_of(type) == TypeKind::floating) {
    floating_ = true;
    return value;
  }
  if (floating_) throw Unavailable{"not readable (calculated from floating-point numbers)"};
  if (size == 8) return value;
  value &= (1ull << size * 8) - 1;
  return is_signed(type) && value >> (size * 8 - 1) ? value | ~0ull << size * 8 : value;
}

bool Evaluation::typed(const Dwarf_Op& op) {
  switch (op.atom) {
    case DW_OP_convert:
    case DW_OP_GNU_convert:
    case DW_OP_reinterpret:
    case DW_OP_GNU_reinterpret: {
      const bool before = floating_;
      push(as_type(op, pop()));
      if (floating_ != before) throw Unavailable{"not readable (calculated from floating-point numbers)"};
      return true;
    }
    case DW_OP_regval_type:
    case DW_OP_GNU_regval_type: {
      const auto bytes = register_bytes(context_, op.number);
      std::uint64_t value = 0;
      std::memcpy(&value, bytes.data(), std::min<std::size_t>(8, bytes.size()));
      push(as_type(op, value));
      return true;
    }
    case DW_OP_deref_type:
    case DW_OP_GNU_deref_type:
      load(op.number);
      push(as_type(op, pop()));
      return true;
    case DW_OP_const_type:
    case DW_OP_GNU_const_type: {
      Dwarf_Attribute held;
      Dwarf_Block block;
      if (dwarf_getlocation_attr(&attribute_, &op, &held) != 0 || dwarf_formblock(&held, &block) != 0 || block.length > 8)
        throw Unavailable{not_readable};
      std::uint64_t value = 0;
      std::memcpy(&value, block.data, block.length);
      push(as_type(op, value));
      return true;
    }
    default:
      return false;
  }
}

bool Evaluation::shuffle(const Dwarf_Op& op) {
  switch (op.atom) {
    case DW_OP_nop:
    case DW_OP_GNU_uninit:
      return true;
    case DW_OP_dup:
      push(peek(0));
      return true;
    case DW_OP_drop:
      pop();
      return true;
    case DW_OP_over:
      push(peek(1));
      return true;
    case DW_OP_pick:
      push(peek(op.number));
      return true;
    case DW_OP_swap:
      std::swap(peek(0), peek(1));
      return true;
    case DW_OP_rot: {
      const auto top = peek(0);
      peek(0) = peek(1), peek(1) = peek(2), peek(2) = top;
      return true;
    }
    case DW_OP_deref:
      load(8);
      return true;
    case DW_OP_deref_size:
      load(op.number);
      return true;
    case DW_OP_skip:
      jump(static_cast<std::int16_t>(op.number));
      return true;
    case DW_OP_bra:
      if (pop() != 0) jump(static_cast<std::int16_t>(op.number));
      return true;
    default:
      return false;
  }
}

bool Evaluation::arithmetic(const Dwarf_Op& op) {
  const auto top_signed = [&] { return static_cast<std::int64_t>(peek(0)); };
  switch (op.atom) {
    case DW_OP_abs:
      if (top_signed() < 0) peek(0) = 0 - peek(0);
      return true;
    case DW_OP_neg:
      peek(0) = 0 - peek(0);
      return true;
    case DW_OP_not:
      peek(0) = ~peek(0);
      return true;
    case DW_OP_plus_uconst:
      peek(0) += op.number;
      return true;
    default:
      break;
  }
  if (op.atom < DW_OP_and || op.atom > DW_OP_xor) return false;
  if (floating_) throw Unavailable{"not readable (calculated from floating-point numbers)"};
  const auto b = pop(), a = pop();
  const auto sa = static_cast<std::int64_t>(a), sb = static_cast<std::int64_t>(b);
  switch (op.atom) {
    case DW_OP_and:
      push(a & b);
      return true;
    case DW_OP_or:
      push(a | b);
      return true;
    case DW_OP_xor:
      push(a ^ b);
      return true;
    case DW_OP_plus:
      push(a + b);
      return true;
    case DW_OP_minus:
      push(a - b);
      return true;
    case DW_OP_mul:
      push(a * b);
      return true;
    case DW_OP_div:
      if (sb == 0) throw Unavailable{not_readable};
      push(sb == -1 ? 0 - a : static_cast<std::uint64_t>(sa / sb));
      return true;
    case DW_OP_mod:
      if (b == 0) throw Unavailable{not_readable};
      push(a % b);
      return true;
    case DW_OP_shl:
      push(b > 63 ? 0 : a << b);
      return true;
    case DW_OP_shr:
      push(b > 63 ? 0 : a >> b);
      return true;
    case DW_OP_shra:
      push(static_cast<std::uint64_t>(sa >> std::min<std::uint64_t>(b, 63)));
      return true;
    default:
      throw Unavailable{not_readable};
  }
}

bool Evaluation::comparison(const Dwarf_Op& op) {
  if (op.atom < DW_OP_eq || op.atom > DW_OP_ne) return false;
  const auto b = static_cast<std::int64_t>(pop()), a = static_cast<std::int64_t>(pop());
  switch (op.atom) {
    case DW_OP_eq:
      push(a == b);
      break;
    case DW_OP_ge:
      push(a >= b);
      break;
    case DW_OP_gt:
      push(a > b);
      break;
    case DW_OP_le:
      push(a <= b);
      break;
    case DW_OP_lt:
      push(a < b);
      break;
    default:
      push(a != b);
  }
  return true;
}

void Evaluation::step(const Dwarf_Op& op) {
  if (constant(op) || place(op) || typed(op) || comparison(op) || shuffle(op) || arithmetic(op)) return;
  throw Unavailable{"not readable (its location is written in a way that is not understood)"};
}

Found from_constant(Die variable, Dwarf_Attribute constant) {
  Object o;
  o.type = type_of(variable);
  Dwarf_Block block;
  if (dwarf_formblock(&constant, &block) == 0) {
    o.bytes.assign(block.data, block.data + std::min<std::size_t>(block.length, largest_object));
  } else if (const auto s = signed_number(constant)) {
    o.bytes = little_endian(static_cast<std::uint64_t>(*s));
  } else if (const auto u = number(constant)) {
    o.bytes = little_endian(*u);
  } else if (const char* string = dwarf_formstring(&constant)) {
    o.bytes.assign(string, string + std::strlen(string) + 1);
  }
  return {std::move(o), {}};
}

Object to_object(const FrameContext& context, Die variable, const Result& r) {
  Object o;
  o.type = type_of(variable);
  switch (r.kind) {
    case Result::Kind::address:
      o.address = Address{r.number};
      break;
    case Result::Kind::reg:
      o.bytes = register_bytes(context, r.number);
      break;
    case Result::Kind::value:
      o.bytes = little_endian(r.number);
      break;
    case Result::Kind::bytes:
      o.bytes = r.bytes;
      o.gone = r.gone;
      o.in_pieces = r.in_pieces;
      break;
  }
  return o;
}

}  // namespace

std::optional<std::uint64_t> compute(const FrameContext& context, Dwarf_Attribute expression) {
  Dwarf_Op* ops = nullptr;
  std::size_t count = 0;
  if (dwarf_getlocation(&expression, &ops, &count) != 0) return std::nullopt;
  try {
    const Result r = Evaluation(context, expression, false).run(ops, count);
    if (r.kind == Result::Kind::address || r.kind == Result::Kind::value) return r.number;
    std::uint64_t value = 0;
    const auto bytes = r.kind == Result::Kind::reg ? register_bytes(context, r.number) : r.bytes;
    std::memcpy(&value, bytes.data(), std::min<std::size_t>(8, bytes.size()));
    return value;
  } catch (const Unavailable&) {
    return std::nullopt;
  }
}

namespace {

Found find_object(const FrameContext& context, Die variable) {
  if (const auto constant = attribute_of_origin(variable, DW_AT_const_value)) return from_constant(variable, *constant);
  const auto location = attribute_of_origin(variable, DW_AT_location);
  if (!location) return Found::none(optimised_out);
  try {
    Found found{to_object(context, variable, evaluate(context, *location, false)), {}};
    Object& o = *found.object;
    const auto size = byte_size(o.type);
    if (o.address || o.bytes.size() >= size) return found;
    if (!o.in_pieces) return Found::none(optimised_out);
    o.gone.push_back({o.bytes.size(), size});  // pieces may end early
    o.bytes.resize(std::min<std::uint64_t>(size, largest_object));
    return found;
  } catch (const Unavailable& u) {
    return Found::none(u.reason);
  }
}

}  // namespace

Found locate(const FrameContext& context, Die variable) {
  Found found = find_object(context, variable);
  if (!found) return found;
  found.object->definitions = &context.state.types();
  found.object->type = found.object->completed(found.object->type);
  return found;
}

}  // namespace callpath::dw
