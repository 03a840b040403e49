#include "core/memory.hpp"

#include <algorithm>

namespace callpath {

std::optional<std::string> Memory::c_string(Address from, std::size_t limit) const {
  constexpr std::size_t page = 4096;
  std::string text;
  while (text.size() < limit) {
    // Up to the next page boundary only: the page after the string's end may not be mapped.
    char chunk[page];
    std::size_t size = std::min(page - from.value % page, limit - text.size());
    if (!read(from, chunk, size)) return std::nullopt;
    auto end = std::find(chunk, chunk + size, '\0');
    text.append(chunk, end);
    if (end != chunk + size) return text;
    from = from + size;
  }
  return std::nullopt;
}

}  // namespace callpath
