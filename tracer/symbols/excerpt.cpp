#include <algorithm>
#include <filesystem>
#include <fstream>

#include "symbols/symbols.hpp"

namespace callpath {

std::optional<Excerpt> read_excerpt(const std::string& file, int line, int before, int after) {
  constexpr std::size_t longest_line = 400;
  std::error_code failed;
  if (line < 1 || !std::filesystem::is_regular_file(file, failed)) return std::nullopt;
  std::ifstream in(file);
  Excerpt excerpt;
  excerpt.first = std::max(1, line - before);
  std::string text;
  for (int number = 1; number <= line + after && std::getline(in, text); ++number) {
    if (number < excerpt.first) continue;
    if (!text.empty() && text.back() == '\r') text.pop_back();
    if (text.size() > longest_line) text.resize(longest_line);
    while (text.size() == longest_line && (text.back() & 0x80) && !text.empty()) text.pop_back();  // not in the middle of a character
    excerpt.lines.push_back(text);
  }
  if (static_cast<int>(excerpt.lines.size()) <= line - excerpt.first) return std::nullopt;  // the file ends before the line
  return excerpt;
}

}  // namespace callpath
