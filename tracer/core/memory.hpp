// Reading the traced program's memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>

#include "core/address.hpp"

namespace callpath {

/// Read access to an address space: the stopped program's, this process's own, or a test's. Never throws; bad addresses give false.
/// Distrust what it returns: callers cap lengths and keep track of what they visited.
class Memory {
 public:
  virtual ~Memory() = default;

  /// Copies `size` bytes at `from` into `to`; all or nothing.
  virtual bool read(Address from, void* to, std::size_t size) const = 0;

  /// One trivially copyable object, or nothing where the memory cannot be read.
  template <class T>
  std::optional<T> get(Address from) const {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    if (!read(from, &value, sizeof value)) return std::nullopt;
    return value;
  }

  /// A pointer stored at `from`.
  std::optional<Address> pointer(Address from) const {
    auto value = get<std::uint64_t>(from);
    if (!value) return std::nullopt;
    return Address{*value};
  }

  /// A zero-terminated string of at most `limit` bytes; nothing if unreadable or longer.
  std::optional<std::string> c_string(Address from, std::size_t limit = 4096) const;
};

}  // namespace callpath
