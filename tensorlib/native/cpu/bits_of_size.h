// An unsigned integer of the size of a type: for moving elements whatever their type.
#pragma once

#include <cstdint>

#include "core/Export.h"

namespace tensorlib::native {
inline namespace CPU_CAPABILITY {

template <int size>
struct bits_of;
template <>
struct bits_of<1> {
  using type = std::uint8_t;
};
template <>
struct bits_of<2> {
  using type = std::uint16_t;
};
template <>
struct bits_of<4> {
  using type = std::uint32_t;
};
template <>
struct bits_of<8> {
  using type = std::uint64_t;
};

template <typename T>
using bits_of_size = bits_of<sizeof(T)>;

}  // namespace CPU_CAPABILITY
}  // namespace tensorlib::native
