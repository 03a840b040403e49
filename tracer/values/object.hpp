// A typed piece of memory, register or constant. Internal to tracer/values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/memory.hpp"
#include "symbols/type_definitions.hpp"

namespace callpath::dw {

struct Object {
  std::optional<Die> type;                 ///< Nothing is void.
  std::optional<Address> address;          ///< Where it is in memory, or
  std::vector<std::uint8_t> bytes;         ///< its bytes if it is not in memory.
  std::vector<Range> gone;                 ///< Offsets whose bytes were optimised out, if only a part was.
  bool in_pieces = false;                  ///< Put together from several places.
  TypeDefinitions* definitions = nullptr;  ///< Of the module; what is reached from here has its type completed by them.
  int bit_offset = 0, bit_size = 0;        ///< Of a bit-field, from the least significant bit of the bytes; size 0: not one.

  /// The type's definition where this unit only declares it and another unit of the module has it; else the type as it is.
  std::optional<Die> completed(std::optional<Die> of) const;

  /// `size` bytes from `offset` on; false if they cannot be read or are gone.
  bool read(const Memory&, std::uint64_t offset, void* to, std::size_t size) const;

  /// A part of it, at an offset in bytes.
  Object part(std::uint64_t offset, std::optional<Die> part_type, std::uint64_t size) const;
};

/// An object, or why there is none.
struct Found {
  std::optional<Object> object;
  std::string reason;

  static Found none(std::string why) { return {std::nullopt, std::move(why)}; }
  explicit operator bool() const { return object.has_value(); }
};

inline constexpr const char* optimised_out = "optimised out";
inline constexpr const char* not_readable = "not readable";

}  // namespace callpath::dw
