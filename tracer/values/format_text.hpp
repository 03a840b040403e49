// Numbers and characters as gdb writes them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace callpath::dw {

/// Little-endian IEEE numbers of 2, 4, 8 bytes and x87's of 10 to 16; "-1.1523602", "inf", "-nan(0x400000)". Empty for other sizes.
std::string float_text(const std::vector<std::uint8_t>& bytes);

/// 97 'a', 10 '\n', -1 '\377'; wide ones with their prefix: 97 L'a'.
std::string character_text(std::int64_t value, const std::string& prefix);

/// "abc", with runs of ten and more as '\000' <repeats 16 times>; `more` adds "...".
std::string string_text(const std::vector<std::uint32_t>& characters, const std::string& prefix, bool more);

std::string int128_text(const std::vector<std::uint8_t>& bytes, bool is_signed);

}  // namespace callpath::dw
