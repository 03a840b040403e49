// One element as another type has it, the same on every machine.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/Export.h"

namespace tensorlib {
inline namespace CPU_CAPABILITY {

namespace convert_detail {

/// `value` without its fraction; the smallest integer where that has no room, nan included (what x86's conversion gives; C++ leaves it
/// open).
template <typename Integer, typename Floating>
inline Integer truncate(Floating value) {
  constexpr Floating bound = sizeof(Integer) == 8 ? Floating(0x1p63) : Floating(0x1p31);
  constexpr Integer smallest = sizeof(Integer) == 8 ? static_cast<Integer>(INT64_MIN) : static_cast<Integer>(INT32_MIN);
  const bool fits = sizeof(Integer) == 8 || sizeof(Floating) == 4 ? value >= -bound && value < bound : value > -bound - 1 && value < bound;
  return fits ? static_cast<Integer>(value) : smallest;
}

}  // namespace convert_detail

/// As PyTorch converts on x86: integers wrap, floats round to nearest, floats to integers lose their fraction, anything but zero is true.
template <typename To, typename From>
inline To convert(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (std::is_floating_point_v<From> && !std::is_floating_point_v<To>) {
    using Way = std::conditional_t<std::is_same_v<To, std::int64_t> || std::is_same_v<To, std::uint8_t>, std::int64_t, std::int32_t>;
    return static_cast<To>(convert_detail::truncate<Way>(value));
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace CPU_CAPABILITY
}  // namespace tensorlib
