#include "record/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace callpath {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::uint8_t byte_at(std::string_view text, std::size_t at) { return at < text.size() ? static_cast<std::uint8_t>(text[at]) : 0; }

bool continues(std::string_view text, std::size_t at) { return (byte_at(text, at) & 0xc0) == 0x80; }

// A surrogate that was encoded as if it were a character (ED A0..BF 80..BF).
bool is_encoded_surrogate(std::string_view text, std::size_t at) {
  return byte_at(text, at) == 0xed && byte_at(text, at + 1) >= 0xa0 && continues(text, at + 1) && continues(text, at + 2);
}

// The value of "\uXXXX" at `at`, -1 if that is not one.
int escape_at(std::string_view text, std::size_t at) {
  if (text.size() - std::min(at, text.size()) < 6 || text[at] != '\\' || text[at + 1] != 'u') return -1;
  int value = 0;
  for (std::size_t i = at + 2; i < at + 6; ++i) {
    const char c = text[i];
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

bool is_high(int unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool is_low(int unit) { return unit >= 0xdc00 && unit < 0xe000; }

// Copies the escape sequence at `at` and returns its length.
std::size_t copy_escape(std::string_view original, std::size_t at, PreparedJson& out) {
  const int unit = escape_at(original, at);
  if (is_high(unit) && is_low(escape_at(original, at + 6))) {
    out.text += original.substr(at, 12);
    return 12;
  }
  if (is_high(unit) || is_low(unit)) {
    out.added.push_back(out.text.size());
    out.text += '\\';
    out.text += original.substr(at, 6);
    return 6;
  }
  const std::size_t length = std::min<std::size_t>(2, original.size() - at);
  out.text += original.substr(at, length);
  return length;
}

}  // namespace

std::size_t utf8_sequence(std::string_view text, std::size_t at) {
  const std::uint8_t first = byte_at(text, at), second = byte_at(text, at + 1);
  if (at >= text.size()) return 0;
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return continues(text, at + 1) ? 2 : 0;
  if (first >= 0xe0 && first < 0xf0) {
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0)) return 0;
    return continues(text, at + 1) && continues(text, at + 2) ? 3 : 0;
  }
  if (first >= 0xf0 && first < 0xf5) {
    if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90)) return 0;
    return continues(text, at + 1) && continues(text, at + 2) && continues(text, at + 3) ? 4 : 0;
  }
  return 0;
}

std::string printable_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t length = utf8_sequence(text, i)) {
      out += text.substr(i, length);
      i += length;
    } else if (is_encoded_surrogate(text, i)) {
      out += fmt::format("\\u{:04x}", 0xd000 | (byte_at(text, i + 1) & 0x3f) << 6 | (byte_at(text, i + 2) & 0x3f));
      i += 3;
    } else {
      out += fmt::format("\\x{:02x}", byte_at(text, i++));
    }
  }
  return out;
}

std::string base64(const std::vector<std::uint8_t>& bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < left ? bytes[i + k] : 0);
    for (std::size_t k = 0; k < 4; ++k) out += k <= left ? alphabet[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::optional<std::vector<std::uint8_t>> from_base64(std::string_view text) {
  if (text.size() % 4) return std::nullopt;
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const std::size_t padding = !last || text[i + 3] != '=' ? 0 : text[i + 2] != '=' ? 1 : 2;
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t digit = k < 4 - padding ? alphabet.find(text[i + k]) : 0;
      if (digit == std::string_view::npos) return std::nullopt;
      group = group << 6 | static_cast<std::uint32_t>(digit);
    }
    for (std::size_t k = 0; k < 3 - padding; ++k) bytes.push_back(static_cast<std::uint8_t>(group >> (16 - 8 * k)));
  }
  return bytes;
}

std::size_t PreparedJson::original_offset(std::size_t offset) const {
  return offset - static_cast<std::size_t>(std::lower_bound(added.begin(), added.end(), offset) - added.begin());
}

PreparedJson prepare_json(std::string_view original) {
  PreparedJson out;
  out.text.reserve(original.size());
  bool in_string = false;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < original.size();) {
    const char c = original[i];
    if (in_string && c == '\\') {
      i += copy_escape(original, i, out);
      continue;
    }
    if (c == '"') in_string = !in_string;
    if (!in_string && (c == '{' || c == '[')) out.depth = std::max(out.depth, ++depth);
    if (!in_string && (c == '}' || c == ']') && depth) --depth;
    out.text += c;
    ++i;
  }
  return out;
}

}  // namespace callpath
