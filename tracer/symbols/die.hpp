// Small helpers over libdw's C interface. libdw reads through non-const pointers but changes nothing: DIEs are taken by value.
#pragma once

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "symbols/elf_file.hpp"

namespace callpath::dw {

using Die = Dwarf_Die;

inline std::optional<Dwarf_Attribute> attribute(Die die, unsigned name) {
  Dwarf_Attribute a;
  return dwarf_attr(&die, name, &a) ? std::optional(a) : std::nullopt;
}

/// Also through DW_AT_abstract_origin and DW_AT_specification.
inline std::optional<Dwarf_Attribute> attribute_of_origin(Die die, unsigned name) {
  Dwarf_Attribute a;
  return dwarf_attr_integrate(&die, name, &a) ? std::optional(a) : std::nullopt;
}

inline std::optional<Die> referred(std::optional<Dwarf_Attribute> a) {
  Die die;
  return a && dwarf_formref_die(&*a, &die) ? std::optional(die) : std::nullopt;
}
inline std::optional<Die> reference(Die die, unsigned name) { return referred(attribute(die, name)); }

inline std::optional<std::uint64_t> number(std::optional<Dwarf_Attribute> a) {
  Dwarf_Word word;
  return a && dwarf_formudata(&*a, &word) == 0 ? std::optional<std::uint64_t>(word) : std::nullopt;
}
inline std::optional<std::int64_t> signed_number(std::optional<Dwarf_Attribute> a) {
  Dwarf_Sword word;
  return a && dwarf_formsdata(&*a, &word) == 0 ? std::optional<std::int64_t>(word) : std::nullopt;
}
inline const char* text(std::optional<Dwarf_Attribute> a) { return a ? dwarf_formstring(&*a) : nullptr; }

/// For flags: present and not false.
inline bool flag(std::optional<Dwarf_Attribute> a) {
  bool value = false;
  return a && dwarf_formflag(&*a, &value) == 0 && value;
}

/// DW_AT_name, also of the origin; null if there is none.
inline const char* name_of(Die die) { return text(attribute_of_origin(die, DW_AT_name)); }

/// The type, also of the origin; nothing is `void`.
inline std::optional<Die> type_of(Die die) { return referred(attribute_of_origin(die, DW_AT_type)); }

inline int tag(Die die) { return dwarf_tag(&die); }

/// A type without const, volatile, restrict, atomic and typedefs; a declaration stays one. Nothing is `void`.
inline std::optional<Die> peeled(std::optional<Die> type) {
  constexpr int deepest = 32;
  for (int hops = 0; type && hops < deepest; ++hops) {
    switch (tag(*type)) {
      case DW_TAG_const_type:
      case DW_TAG_volatile_type:
      case DW_TAG_restrict_type:
      case DW_TAG_atomic_type:
      case DW_TAG_typedef:
        type = type_of(*type);
        break;
      default:
        return type;
    }
  }
  return std::nullopt;
}

inline Die unit_of(Die die) {
  Die unit;
  return dwarf_diecu(&die, &unit, nullptr, nullptr) ? unit : Die{};
}

/// Calls `visit` for each child until it answers false. A cap stands between us and a sibling chain that loops.
template <class Visit>
void for_each_child(Die parent, Visit visit) {
  constexpr int most = 4'000'000;
  Die child;
  if (dwarf_child(&parent, &child) != 0) return;
  for (int n = 0; n < most; ++n) {
    if (!visit(child)) return;
    if (dwarf_siblingof(&child, &child) != 0) return;
  }
}

/// The DIE at the end of abstract_origin and specification: the declaration, whose parents are the scopes a name is made of.
inline Die declaration_of(Die die) {
  for (int hops = 0; hops < 16; ++hops) {
    auto next = reference(die, DW_AT_abstract_origin);
    if (!next) next = reference(die, DW_AT_specification);
    if (!next) break;
    die = *next;
  }
  return die;
}

inline bool is_cplusplus(Die unit) {
  switch (dwarf_srclang(&unit)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
      return true;
    case 0x2b:
    case 0x2c:
      return true;  // DW_LANG_C_plus_plus_17 and _20, used by clang before DWARF 6 was out
    default:
      return false;
  }
}

/// Address ranges, in their order; a cap keeps a corrupted list finite.
inline std::vector<Range> ranges_of(Die die) {
  constexpr int most = 100'000;
  std::vector<Range> found;
  Dwarf_Addr base = 0, begin = 0, end = 0;
  ptrdiff_t at = 0;
  for (int n = 0; n < most && (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0; ++n)
    if (begin < end) found.push_back({begin, end});
  return found;
}

}  // namespace callpath::dw
