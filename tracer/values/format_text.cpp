#include "values/format_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace callpath::dw {
namespace {

std::string printed(const char* format, long double value) {
  char buffer[80];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

std::string not_a_number(bool negative, std::uint64_t mantissa) { return fmt::format("{}nan(0x{:x})", negative ? "-" : "", mantissa); }

std::string infinity(bool negative) { return negative ? "-inf" : "inf"; }

template <class Float, class Bits>
std::string ieee(const std::vector<std::uint8_t>& bytes, int mantissa_bits, const char* format) {
  Bits bits;
  Float value;
  std::memcpy(&bits, bytes.data(), sizeof bits);
  std::memcpy(&value, bytes.data(), sizeof value);
  const bool negative = bits >> (sizeof bits * 8 - 1);
  if (std::isnan(value)) return not_a_number(negative, bits & ((Bits{1} << mantissa_bits) - 1));
  if (std::isinf(value)) return infinity(negative);
  return printed(format, value);
}

std::string half(const std::vector<std::uint8_t>& bytes) {
  std::uint16_t bits;
  std::memcpy(&bits, bytes.data(), 2);
  const bool negative = bits >> 15;
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  if (exponent == 31) return mantissa ? not_a_number(negative, static_cast<std::uint64_t>(mantissa)) : infinity(negative);
  const double size = exponent ? std::ldexp(1024 + mantissa, exponent - 25) : std::ldexp(mantissa, -24);
  return printed("%.5Lg", negative ? -size : size);
}

std::string extended(const std::vector<std::uint8_t>& bytes) {
  std::uint64_t mantissa;
  std::uint16_t head;
  std::memcpy(&mantissa, bytes.data(), 8);
  std::memcpy(&head, bytes.data() + 8, 2);
  const bool negative = head >> 15;
  if ((head & 0x7fff) == 0x7fff) return mantissa << 1 ? not_a_number(negative, mantissa) : infinity(negative);
  long double value = 0;
  std::memcpy(&value, bytes.data(), 10);
  return printed("%.18Lg", value);
}

/// A character inside quotes; octal escapes for what cannot be shown.
std::string inside(std::uint32_t c, char quote) {
  static const std::string named = "\a\b\f\n\r\t\v\033", letters = "abfnrtve";
  if (const auto i = c && c < 128 ? named.find(static_cast<char>(c)) : named.npos; i != named.npos) {
    return letters[i] == 'e' ? "\\033" : std::string("\\") + letters[i];
  }
  if (c == static_cast<std::uint32_t>(quote) || c == '\\') return std::string("\\") + static_cast<char>(c);
  if (c >= 32 && c < 127) return std::string(1, static_cast<char>(c));
  return c < 256 ? fmt::format("\\{:03o}", c) : fmt::format("\\u{:04x}", c);
}

}  // namespace

std::string float_text(const std::vector<std::uint8_t>& bytes) {
  switch (bytes.size()) {
    case 2:
      return half(bytes);
    case 4:
      return ieee<float, std::uint32_t>(bytes, 23, "%.9Lg");
    case 8:
      return ieee<double, std::uint64_t>(bytes, 52, "%.17Lg");
    case 10:
    case 12:
    case 16:
      return extended(bytes);
    default:
      return {};
  }
}

std::string character_text(std::int64_t value, const std::string& prefix) {
  const auto shown = prefix.empty() ? static_cast<std::uint32_t>(value & 0xff) : static_cast<std::uint32_t>(value);
  return fmt::format("{} {}'{}'", value, prefix, inside(shown, '\''));
}

std::string string_text(const std::vector<std::uint32_t>& characters, const std::string& prefix, bool more) {
  constexpr std::size_t run_shown_as_such = 11;
  std::string text;
  bool open = false;
  const auto close = [&] {
    if (open) text += '"';
    open = false;
  };
  for (std::size_t i = 0; i < characters.size();) {
    std::size_t run = 1;
    while (i + run < characters.size() && characters[i + run] == characters[i]) ++run;
    if (run >= run_shown_as_such) {
      close();
      text += fmt::format("{}{}'{}' <repeats {} times>", text.empty() ? "" : ", ", prefix, inside(characters[i], '\''), run);
      i += run;
      continue;
    }
    if (!open) text += (text.empty() ? "" : ", ") + prefix + "\"", open = true;
    text += inside(characters[i++], '"');
  }
  close();
  if (text.empty()) text = prefix + "\"\"";
  return more ? text + "..." : text;
}

std::string int128_text(const std::vector<std::uint8_t>& bytes, bool is_signed) {
  unsigned __int128 value = 0;
  std::memcpy(&value, bytes.data(), std::min<std::size_t>(16, bytes.size()));
  const bool negative = is_signed && value >> 127;
  if (negative) value = 0 - value;
  std::string digits;
  do digits += static_cast<char>('0' + static_cast<int>(value % 10));
  while (value /= 10);
  if (negative) digits += '-';
  return {digits.rbegin(), digits.rend()};
}

}  // namespace callpath::dw
