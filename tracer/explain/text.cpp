#include "explain/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace callpath {
namespace {

struct Range {
  std::uint32_t first, last;
};

#include "explain/column_ranges.inc"

template <std::size_t N>
bool in(const Range (&table)[N], std::uint32_t c) {
  const auto* at = std::upper_bound(std::begin(table), std::end(table), c, [](std::uint32_t v, const Range& r) { return v < r.first; });
  return at != std::begin(table) && c <= (at - 1)->last;
}

struct Decoded {
  std::uint32_t point = 0;
  int size = 1;
  bool valid = false;
};

// One character. Surrogates decode (three bytes, not valid), so that they can be named.
Decoded decode(std::string_view s, std::size_t at) {
  auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(s[i]); };
  std::uint8_t b = byte(at);
  if (b < 0x80) return {b, 1, true};
  int size = b >= 0xf0 && b < 0xf5 ? 4 : b >= 0xe0 ? 3 : b >= 0xc2 ? 2 : 0;
  if (size == 0 || b >= 0xf5 || at + size > s.size()) return {b, 1, false};
  std::uint32_t point = b & (0xff >> (size + 1));
  for (int i = 1; i < size; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return {b, 1, false};
    point = point << 6 | (byte(at + i) & 0x3f);
  }
  static constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (point < least[size] || point > 0x10ffff) return {b, 1, false};
  return {point, size, point < 0xd800 || point > 0xdfff};
}

int width_of(std::uint32_t c) {
  if (c < 0x300) return 1;
  return in(zero, c) ? 0 : in(wide, c) ? 2 : 1;
}

struct Piece {
  std::string_view text;
  int width;
};

std::vector<Piece> pieces(std::string_view s) {
  std::vector<Piece> out;
  for (std::size_t i = 0; i < s.size();) {
    auto d = decode(s, i);
    out.push_back({s.substr(i, d.size), width_of(d.point)});
    i += d.size;
  }
  return out;
}

// Characters that reverse or hide text on a screen: shown by number.
bool hidden(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x2028 ||
         c == 0x2029 || c == 0xfeff || (c & 0xfffe) == 0xfffe;
}

}  // namespace

std::string printable(std::string_view s) {
  std::string out;
  out.reserve(s.size());
  for (std::size_t i = 0; i < s.size();) {
    auto d = decode(s, i);
    if (d.valid && d.point == '\t')
      out += "    ";
    else if (d.valid && !hidden(d.point))
      out += s.substr(i, d.size);
    else if (d.size == 1 || d.point < 0x100)
      out += fmt::format("\\x{:02x}", d.point);
    else
      out += fmt::format("\\u{:04x}", d.point);
    i += d.size;
  }
  return out;
}

int columns(std::string_view s) {
  int n = 0;
  for (const auto& p : pieces(s)) n += p.width;
  return n;
}

std::string shorten_middle(std::string_view s, int limit, std::string_view ellipsis) {
  if (columns(s) <= limit) return std::string(s);
  int room = limit - columns(ellipsis);
  if (room <= 0) return std::string(limit > 0 ? ellipsis.substr(0, ellipsis.size()) : "");
  auto all = pieces(s);
  int head_room = (room + 1) / 2, tail_room = room;
  std::size_t head = 0, tail = all.size();
  for (int used = 0; head < all.size() && used + all[head].width <= head_room; ++head) {
    used += all[head].width;
    tail_room = room - used;
  }
  for (int used = 0; tail > head && used + all[tail - 1].width <= tail_room; --tail) used += all[tail - 1].width;
  std::string out;
  for (std::size_t i = 0; i < head; ++i) out += all[i].text;
  out += ellipsis;
  for (std::size_t i = tail; i < all.size(); ++i) out += all[i].text;
  return out;
}

std::string pad_right(std::string s, int width) {
  s.append(std::max(0, width - columns(s)), ' ');
  return s;
}

std::string pad_left(std::string s, int width) { return std::string(std::max(0, width - columns(s)), ' ') + s; }

std::vector<std::string> wrap(std::string_view text, int width) {
  width = std::max(width, 2);
  std::vector<std::string> lines(1);
  int used = 0;
  std::size_t blank = std::string::npos;  // place of the last blank in the current line
  for (const auto& p : pieces(text)) {
    if (used + p.width > width) {
      std::string rest;
      if (p.text == " ") {  // the line ends exactly at a blank
        lines.emplace_back();
        used = 0, blank = std::string::npos;
        continue;
      }
      if (blank != std::string::npos) {
        rest = lines.back().substr(blank + 1);
        lines.back().resize(blank);
      }
      used = columns(rest), blank = std::string::npos;
      lines.push_back(std::move(rest));
    }
    if (p.text == " ") blank = lines.back().size();
    lines.back() += p.text;
    used += p.width;
  }
  return lines;
}

std::string grouped(std::string_view digits) {
  bool plain = !digits.empty() && std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  std::string out(digits);
  if (!plain) return out;
  for (int at = static_cast<int>(out.size()) - 3; at > 0; at -= 3) out.insert(static_cast<std::size_t>(at), ",");
  return out;
}

int columns_before(std::string_view line, int byte_offset) {
  auto end = std::min<std::size_t>(line.size(), static_cast<std::size_t>(std::max(0, byte_offset)));
  return columns(line.substr(0, end));
}

}  // namespace callpath
