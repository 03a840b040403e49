#include "views/canvas.hpp"

#include <fmt/format.h>

#include "views/tokens.hpp"

namespace callpath {
namespace {

// SGR number among the 16 colours.
int basic_ink(Tone tone) {
  switch (tone) {
    case Tone::python:
      return 34;
    case Tone::cpython:
      return 2;
    case Tone::work:
      return 33;
    case Tone::binding:
      return 36;
    case Tone::dispatch:
      return 35;
    case Tone::kernel:
      return 31;
    case Tone::unknown:
      break;
  }
  return 91;
}

std::string wrapped(std::string_view text, const std::string& codes) { return fmt::format("\x1b[{}m{}\x1b[0m", codes, text); }

}  // namespace

std::string Paint::operator()(std::string_view text, Style style) const {
  if (colour_ == Colour::none || style == Style::plain || text.empty()) return std::string(text);
  return wrapped(text, style == Style::bold ? "1" : "2");
}

std::string Paint::operator()(std::string_view text, Tone tone, bool bold) const {
  if (colour_ == Colour::none || text.empty()) return std::string(text);
  int rgb = dark_ ? colours(tone).dark : colours(tone).light;
  auto codes =
      colour_ == Colour::full ? fmt::format("38;2;{};{};{}", rgb >> 16, rgb >> 8 & 0xff, rgb & 0xff) : std::to_string(basic_ink(tone));
  return wrapped(text, bold ? "1;" + codes : codes);
}

std::string Line::text() const {
  auto end = text_.find_last_not_of(' ');
  return end == std::string::npos ? std::string() : text_.substr(0, end + 1);
}

const Glyphs& glyphs(bool utf8) {
  static constexpr Glyphs drawn{.node = "●",
                                .stop = "◉",
                                .ghost = "○",
                                .unknown = "◌",
                                .folded = "·",
                                .down = "│",
                                .dotted = "┊",
                                .across = "─",
                                .from_left = "╰",
                                .from_right = "╯",
                                .range = "–",
                                .open = "▸",
                                .here = "▸",
                                .ellipsis = "…",
                                .fork = "├",
                                .fork_from_left = "┬",
                                .fork_end = "╮",
                                .returned_begin = "╶",
                                .returned = "─",
                                .current = "━",
                                .pending = "·"};
  static constexpr Glyphs ascii{.node = "o",
                                .stop = "O",
                                .ghost = "o",
                                .unknown = "?",
                                .folded = ".",
                                .down = "|",
                                .dotted = ":",
                                .across = "-",
                                .from_left = "\\",
                                .from_right = "/",
                                .range = "-",
                                .open = ">",
                                .here = ">",
                                .ellipsis = "...",
                                .fork = "|",
                                .fork_from_left = "-",
                                .fork_end = "\\",
                                .returned_begin = "-",
                                .returned = "-",
                                .current = "=",
                                .pending = "."};
  return utf8 ? drawn : ascii;
}

std::string in_ascii(std::string text) {
  for (const auto& [drawn, ascii] : {std::pair<std::string_view, std::string_view>{"…", "~"}, {"×", "x"}, {"–", "-"}})
    for (auto at = text.find(drawn); at != std::string::npos; at = text.find(drawn, at)) text.replace(at, drawn.size(), ascii);
  return text;
}

}  // namespace callpath
