// What the unwind table (.eh_frame) says of one instruction, as it is written: a rule for each register. Private to capture/.
#pragma once

#include <cstdint>

#include "capture/capture.hpp"
#include "capture/row.hpp"

namespace callpath::capture {

// DWARF's numbers of registers on x86-64.
enum : unsigned { dw_rbx = 3, dw_rbp = 6, dw_rsp = 7, dw_r12 = 12, dw_r15 = 15, dw_rip = 16, dw_count = 17 };

inline int carried_index(std::uint64_t dwarf_register) {
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

inline int tracked_index(std::uint64_t dwarf_register) {
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

/// Runs the table's program up to the row of `instruction`. False where it cannot be interpreted. The arguments are those of read_row.
/// Async-signal-safe.
bool read_state(std::uint64_t fde, std::uint64_t start, std::uint64_t instruction, std::uint64_t base, std::uint64_t end, State& state);

/// The entry of the code around an instruction, by the index that linkers write (.eh_frame_hdr).
struct TableEntry {
  std::uint64_t fde = 0, start = 0;
};

/// False if no entry covers the instruction, or the index is of a form that linkers do not write.
bool find_entry(const ModuleRange& module, std::uint64_t instruction, TableEntry& entry);

}  // namespace callpath::capture
