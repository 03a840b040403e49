// Text as a reader sees it: columns, safe characters, shortening. Pure functions; UTF-8 in and out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace callpath {

/// Text that can be shown anywhere: valid UTF-8 without control characters. A tab becomes four blanks, other controls `\x1b`, a lone
/// surrogate
/// `\udc80`, a byte that is no UTF-8 `\xff`. Names of a traced program are not to be trusted to be printable.
std::string printable(std::string_view text);

/// Columns that text takes in a terminal: 2 for wide characters, 0 for combining ones.
int columns(std::string_view text);

/// At most `limit` columns: the middle is replaced by an ellipsis, since a C++ name's ends tell more than its middle.
std::string shorten_middle(std::string_view text, int limit, std::string_view ellipsis = "…");

/// Padded with blanks to `width` columns; longer text stays as it is.
std::string pad_right(std::string text, int width);
std::string pad_left(std::string text, int width);

/// Lines of at most `width` columns, broken at blanks, and between characters where a word (or Chinese) is longer than a line. Never empty.
std::vector<std::string> wrap(std::string_view text, int width);

/// The number with thousands separated: 10,000.
std::string grouped(std::string_view digits);

/// Columns from the start of `line` to a byte offset in it, as Python counts columns; clamped to the line.
int columns_before(std::string_view line, int byte_offset);

}  // namespace callpath
