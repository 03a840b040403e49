#include "python/line_table.hpp"

#include <gtest/gtest.h>

#include <random>

namespace callpath {
namespace {

// Entries as CPython's Objects/locations.md describes them. What real tables say is compared with co_positions() in tests/python.
std::vector<std::uint8_t> entry(unsigned code, unsigned units, std::vector<std::uint8_t> rest) {
  rest.insert(rest.begin(), static_cast<std::uint8_t>(0x80 | code << 3 | (units - 1)));
  return rest;
}

std::vector<std::uint8_t> joined(const std::vector<std::vector<std::uint8_t>>& parts) {
  std::vector<std::uint8_t> out;
  for (const auto& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

TEST(LineTable, EachFormGivesItsPosition) {
  // Short form on the first line, one line down, no columns two lines up, long form over lines, none.
  const auto table = joined({entry(1, 1, {0x23}), entry(11, 2, {7, 9}), entry(13, 1, {2 << 1 | 1}),
                             entry(14, 1, {10 << 1, 3, 5, (70 & 63) | 64, 1}), entry(15, 1, {})});
  const auto positions = read_line_table(table, 100, 6);
  ASSERT_EQ(positions.size(), 6u);
  const auto expect = [&](std::size_t i, std::optional<int> line, std::optional<int> end_line, std::optional<int> column,
                          std::optional<int> end_column) {
    EXPECT_EQ(positions[i].line, line) << i;
    EXPECT_EQ(positions[i].end_line, end_line) << i;
    EXPECT_EQ(positions[i].column, column) << i;
    EXPECT_EQ(positions[i].end_column, end_column) << i;
  };
  expect(0, 100, 100, 10, 13);
  expect(1, 101, 101, 7, 9);
  expect(2, 101, 101, 7, 9);
  expect(3, 99, 99, std::nullopt, std::nullopt);
  expect(4, 109, 112, 4, 69);
  expect(5, std::nullopt, std::nullopt, std::nullopt, std::nullopt);
}

TEST(LineTable, ATableThatIsTooShortLeavesTheRestWithoutALine) {
  const auto positions = read_line_table(entry(10, 1, {1, 2}), 1, 3);
  EXPECT_EQ(positions[0].line, 1);
  EXPECT_EQ(positions[1].line, std::nullopt);
  EXPECT_EQ(read_line_table({}, 1, 2)[0].line, std::nullopt);
}

TEST(LineTable, AnyBytesGiveAsManyPositionsAsThereAreUnits) {
  std::mt19937 random(5);
  for (int round = 0; round < 5'000; ++round) {
    std::vector<std::uint8_t> table(random() % 60);
    for (auto& byte : table) byte = static_cast<std::uint8_t>(random());
    ASSERT_EQ(read_line_table(table, 1, 40).size(), 40u);
  }
}

}  // namespace
}  // namespace callpath
