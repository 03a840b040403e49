// Members of CPython's objects whose places are the same from 3.11 to 3.13, release and debug: a test compares them with the headers of
// each version that is there. What differs between versions stands in python/tables. In bytes.
#pragma once

#include <cstdint>

namespace callpath::cpython {

inline constexpr std::uint64_t object_type = 8;  ///< ob_type
inline constexpr std::uint64_t type_name_at = 24, type_vectorcall_offset = 56, type_flags = 168, type_base = 256, type_mro = 344;
inline constexpr std::uint64_t float_value = 16, int_size = 16, int_digits = 24;
inline constexpr std::uint64_t list_items = 24, tuple_items = 24, dict_used = 16;
inline constexpr std::uint64_t function_qualname = 40;
inline constexpr std::uint64_t descriptor_type = 16, descriptor_name = 24, descriptor_method = 40;
inline constexpr std::uint64_t builtin_method = 16, builtin_self = 24, builtin_module = 32;

}  // namespace callpath::cpython
