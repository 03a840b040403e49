// How to get from a frame to its caller, in one word: what the unwind table says for one instruction, as far as it fits.
#pragma once

#include <cstdint>

namespace callpath::capture {

/// Registers that a function must preserve and a walk carries outward, in the order of Frame::Saved.
constexpr int carried = 6;
constexpr int rbp_index = 1;

/// What a walk knows of a frame.
struct FrameRegisters {
  std::uint64_t pc = 0, sp = 0;
  std::uint64_t saved[carried] = {};
  bool operator==(const FrameRegisters&) const = default;
};

/// One row of the unwind table. The CFA is a register plus an offset, or what is stored there; the return address lies right below the CFA;
/// each carried register is as it was or lies a few words below `slot_base`. Rows that say anything else are not held.
class Row {
 public:
  enum Base : unsigned { rsp = carried };  ///< Or the index of a carried register.

  constexpr Row() = default;
  constexpr explicit Row(std::uint64_t bits) : bits_(bits & mask) {}

  static constexpr Row signal_frame() { return Row(valid_bit | signal_bit); }

  /// An invalid row if the offset does not fit.
  static constexpr Row frame(unsigned base, std::int64_t cfa_offset, bool stored_there) {
    if (cfa_offset % 8 != 0 || cfa_offset / 8 > 32767 || cfa_offset / 8 < -32768) return Row();
    auto words = static_cast<std::uint64_t>(static_cast<std::uint16_t>(cfa_offset / 8));
    return Row(valid_bit | (stored_there ? stored_bit : 0) | base << base_shift | words << offset_shift);
  }
  /// The register lies `words` below the slot base; false if that does not fit.
  constexpr bool save(int carried_index, std::int64_t words) {
    if (words < 1 || words > 15) return false;
    bits_ |= static_cast<std::uint64_t>(words) << (slots_shift + 4 * carried_index);
    return true;
  }
  /// Registers are saved relative to rbp: the slot base is rbp + 8 instead of CFA - 8. In such frames the register that held the CFA may
  /// have been pushed first of all, right below the return address.
  constexpr void slots_at_rbp() { bits_ |= slots_at_rbp_bit; }
  static constexpr unsigned pushed_first = 15;

  /// Nothing called this frame: its return address is undefined.
  constexpr void last() { bits_ |= last_bit; }

  constexpr explicit operator bool() const { return bits_ != 0; }
  constexpr bool operator==(const Row&) const = default;
  constexpr std::uint64_t bits() const { return bits_; }
  constexpr bool is_last() const { return bits_ & last_bit; }
  constexpr bool is_signal_frame() const { return bits_ & signal_bit; }
  constexpr bool cfa_is_stored() const { return bits_ & stored_bit; }
  constexpr bool has_slots_at_rbp() const { return bits_ & slots_at_rbp_bit; }
  constexpr bool is_plain() const { return !(bits_ & (last_bit | signal_bit | stored_bit | slots_at_rbp_bit)); }
  constexpr unsigned base() const { return bits_ >> base_shift & 7; }
  constexpr std::int64_t cfa_offset() const { return std::int64_t{static_cast<std::int16_t>(bits_ >> offset_shift)} * 8; }
  constexpr unsigned slot(int carried_index) const { return bits_ >> (slots_shift + 4 * carried_index) & 15; }  ///< 0: as it was.

  /// Where a register with a slot lies.
  constexpr std::uint64_t slot_address(int carried_index, std::uint64_t cfa, std::uint64_t rbp) const {
    const unsigned words = slot(carried_index);
    if (!has_slots_at_rbp()) return cfa - 8 - 8 * words;
    return words == pushed_first ? cfa - 16 : rbp + 8 - 8 * words;
  }

  static constexpr int width = 48;  ///< Bits in use; the rest of a word is free for others.
  static constexpr std::uint64_t mask = (1ull << width) - 1;

 private:
  static constexpr std::uint64_t valid_bit = 1, last_bit = 2, signal_bit = 4, stored_bit = 8, slots_at_rbp_bit = 16;
  static constexpr int base_shift = 5, offset_shift = 8, slots_shift = 24;
  std::uint64_t bits_ = 0;
};

}  // namespace callpath::capture
