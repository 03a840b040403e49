// Text that may be anything on its way into and out of JSON. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace callpath {

/// The same text where it is UTF-8; bytes that are not become "\xff", spelled out, and encoded surrogates "\udc80".
std::string printable_utf8(std::string_view text);

/// Length in bytes of the well-formed UTF-8 sequence at `at`, 0 if there is none (surrogates and overlong forms are none).
std::size_t utf8_sequence(std::string_view text, std::size_t at);

std::string base64(const std::vector<std::uint8_t>& bytes);
std::optional<std::vector<std::uint8_t>> from_base64(std::string_view text);

/// JSON text made safe to parse. Escapes of lone surrogates ("\udc80", which Python's json writes) are spelled out, and the deepest nesting
/// is counted, so that hostile input cannot exhaust a stack.
struct PreparedJson {
  std::string text;
  std::vector<std::size_t> added;  ///< Offsets in `text` of the bytes that were not in the original, ascending.
  std::size_t depth = 0;

  /// Where a byte of `text` was in the original.
  std::size_t original_offset(std::size_t offset) const;
};
PreparedJson prepare_json(std::string_view original);

}  // namespace callpath
