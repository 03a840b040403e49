#include "capture/cfi_table.hpp"

#include "capture/bytes.hpp"

namespace callpath::capture {
namespace {

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
        return at_cfa(low, factored(bytes.unsigned_leb()));
      case 0xc0:
        return restore(low);
      default:
        return extended(low, bytes);
    }
  }

  bool extended(std::uint64_t code, Bytes& bytes) {
    const auto number = [&] { return bytes.unsigned_leb(); };
    const auto offset = [&] { return factored(static_cast<std::uint64_t>(bytes.signed_leb())); };
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
        return at_cfa(r, factored(number()));
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
        return at_cfa(r, offset());
      case 0x12:
        r = number();
        return cfa(r, offset());
      case 0x13:
        return cfa(state.cfa_register, offset());
      case 0x2e:  // GNU_args_size
        number();
        return true;
      default:
        return false;
    }
  }

  /// Damaged tables have numbers of any size: they wrap around.
  std::int64_t factored(std::uint64_t number) const {
    return static_cast<std::int64_t>(number * static_cast<std::uint64_t>(common_.data_align));
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

}  // namespace

bool read_state(std::uint64_t fde, std::uint64_t start, std::uint64_t instruction, std::uint64_t base, std::uint64_t end, State& state) {
  if (fde < base || fde >= end) return false;
  Bytes bytes = entry_at(fde, end);
  const std::uint64_t fde_end = bytes.at() + bytes.left(), common_place = bytes.at();
  const std::uint64_t common_at = common_place - bytes.take<std::uint32_t>();
  if (common_at < base || common_at >= end) return false;
  const Common common = read_common(common_at, end);
  if (!common.ok) return false;
  bytes.skip(2 * encoded_size(common.pointer_encoding));
  if (common.augmented) bytes.skip(bytes.unsigned_leb());
  if (bytes.overrun() || encoded_size(common.pointer_encoding) == 0) return false;
  Program program(common, start, instruction);
  if (!program.run(common.entry, true) || !program.run({bytes.at(), fde_end}, false)) return false;
  state = program.state;
  return true;
}

namespace {

/// How far the code of an entry reaches, from `start`; 0 if that cannot be read.
std::uint64_t code_size(std::uint64_t fde, const ModuleRange& module) {
  if (fde < module.begin || fde >= module.end) return 0;
  Bytes bytes = entry_at(fde, module.end);
  const std::uint64_t common_at = bytes.at() - bytes.take<std::uint32_t>();
  if (common_at < module.begin || common_at >= module.end) return 0;
  const Common common = read_common(common_at, module.end);
  const unsigned size = encoded_size(common.pointer_encoding);
  if (!common.ok || !bytes.skip(size)) return 0;
  return size == 4 ? bytes.take<std::uint32_t>() : size == 8 ? bytes.take<std::uint64_t>() : bytes.take<std::uint16_t>();
}

}  // namespace

bool find_entry(const ModuleRange& module, std::uint64_t instruction, TableEntry& entry) {
  constexpr std::uint8_t version = 1, four_bytes = 0x03, pairs_from_index = 0x3b;
  if (!module.eh_frame_hdr) return false;
  Bytes head(module.eh_frame_hdr, module.eh_frame_hdr + module.hdr_size);
  if (head.take<std::uint8_t>() != version) return false;
  const unsigned place_size = encoded_size(head.take<std::uint8_t>());
  if (head.take<std::uint8_t>() != four_bytes || head.take<std::uint8_t>() != pairs_from_index || !head.skip(place_size)) return false;
  const std::uint64_t count = head.take<std::uint32_t>();
  if (head.overrun() || count > head.left() / 8) return false;
  const auto* pairs = reinterpret_cast<const std::int32_t*>(head.at());
  std::uint64_t low = 0, high = count;
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (module.eh_frame_hdr + static_cast<std::uint64_t>(std::int64_t{pairs[2 * middle]}) <= instruction)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return false;
  entry.start = module.eh_frame_hdr + static_cast<std::uint64_t>(std::int64_t{pairs[2 * (low - 1)]});
  entry.fde = module.eh_frame_hdr + static_cast<std::uint64_t>(std::int64_t{pairs[2 * (low - 1) + 1]});
  return instruction - entry.start < code_size(entry.fde, module);
}

}  // namespace callpath::capture
