// Address kinds as distinct types, so that mixing them does not compile.
#pragma once

#include <compare>
#include <cstdint>

namespace callpath {

/// A run-time address in the traced program's address space.
struct Address {
  std::uint64_t value = 0;
  auto operator<=>(const Address&) const = default;
  explicit operator bool() const { return value != 0; }
  Address operator+(std::uint64_t n) const { return {value + n}; }
  Address operator-(std::uint64_t n) const { return {value - n}; }
};

/// An address as the module's own ELF file numbers it (run-time address minus load bias).
struct ModuleOffset {
  std::uint64_t value = 0;
  auto operator<=>(const ModuleOffset&) const = default;
};

}  // namespace callpath
