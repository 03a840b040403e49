#include "python/line_table.hpp"

#include <algorithm>

namespace callpath {
namespace {

class TableReader {
 public:
  TableReader(const std::vector<std::uint8_t>& table, int first_line) : table_(table), line_(first_line) {}

  bool at_end() const { return at_ >= table_.size(); }

  // One entry: how many code units share which position.
  std::size_t next(Position& position) {
    const unsigned head = byte();
    position = location(head >> 3 & 15);
    return (head & 7) + 1;
  }

 private:
  Position location(unsigned code) {
    if (code == 15) return {};
    if (code == 14) return long_form();
    if (code == 13) {
      line_ = line_ + signed_number();
      return {line_, line_, std::nullopt, std::nullopt};
    }
    if (code >= 10) return one_line(static_cast<int>(code) - 10);
    const unsigned second = byte();
    const int column = static_cast<int>(code << 3 | second >> 4);
    return {line_, line_, column, column + static_cast<int>(second & 15)};
  }

  Position one_line(int delta) {
    line_ += delta;
    const int column = static_cast<int>(byte());
    return {line_, line_, column, static_cast<int>(byte())};
  }

  Position long_form() {
    line_ = line_ + signed_number();
    const int end_line = line_ + static_cast<int>(number());
    const int column = static_cast<int>(number()) - 1, end_column = static_cast<int>(number()) - 1;
    return {line_, end_line, present(column), present(end_column)};
  }

  static std::optional<int> present(int column) { return column < 0 ? std::nullopt : std::optional(column); }

  unsigned byte() { return at_ < table_.size() ? table_[at_++] : 0; }

  // Six bits a byte, lowest first; bit 6 says that more follow.
  unsigned number() {
    unsigned value = 0, shift = 0, part;
    do {
      part = byte();
      if (shift < 32) value |= (part & 63) << shift;
      shift += 6;
    } while (part & 64);
    return value;
  }

  int signed_number() {
    const unsigned value = number();
    const int magnitude = static_cast<int>(value >> 1);
    return value & 1 ? -magnitude : magnitude;
  }

  const std::vector<std::uint8_t>& table_;
  std::size_t at_ = 0;
  int line_;
};

}  // namespace

std::vector<Position> read_line_table(const std::vector<std::uint8_t>& table, int first_line, std::size_t units) {
  std::vector<Position> positions;
  positions.reserve(units);
  TableReader reader(table, first_line);
  while (positions.size() < units && !reader.at_end()) {
    Position position;
    const std::size_t count = std::min(reader.next(position), units - positions.size());
    positions.insert(positions.end(), count, position);
  }
  positions.resize(units);
  return positions;
}

}  // namespace callpath
