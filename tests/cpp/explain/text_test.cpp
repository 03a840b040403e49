#include "explain/text.hpp"

#include <gtest/gtest.h>

namespace callpath {
namespace {

TEST(Columns, CountsWideAndCombiningCharacters) {
  EXPECT_EQ(columns("basic_loop"), 10);
  EXPECT_EQ(columns("步长 8"), 6);
  EXPECT_EQ(columns("e\xcc\x81"), 1);         // e and a combining acute accent
  EXPECT_EQ(columns("●─╯"), 3);               // ambiguous width: one column
  EXPECT_EQ(columns("\xf0\x9f\x98\x80"), 2);  // an emoji
  EXPECT_EQ(columns(""), 0);
}

TEST(Printable, ShowsControlCharactersByNumber) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("a\nb"), "a\\x0ab");
  EXPECT_EQ(printable("a\tb"), "a    b");
  EXPECT_EQ(printable("\xc2\x85"), "\\x85");
}

TEST(Printable, ShowsWhatIsNoUtf8ByNumber) {
  EXPECT_EQ(printable("a\xff!"), "a\\xff!");
  EXPECT_EQ(printable("\xed\xb2\x80"), "\\udc80");  // a lone surrogate, as Python's surrogateescape leaves it
  EXPECT_EQ(printable("\xc3"), "\\xc3");            // cut off
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");   // overlong
  EXPECT_EQ(printable("\xf4\x90\x80\x80").find("\\xf4"), 0u);
}

TEST(Printable, ShowsCharactersThatTurnTextAroundByNumber) { EXPECT_EQ(printable("a\u202eb"), "a\\u202eb"); }

TEST(Printable, KeepsOrdinaryText) { EXPECT_EQ(printable("operator<< é 步长 ●"), "operator<< é 步长 ●"); }

TEST(ShortenMiddle, KeepsBothEndsWithinTheLimit) {
  EXPECT_EQ(shorten_middle("abcdef", 6), "abcdef");
  EXPECT_EQ(shorten_middle("abcdefgh", 5), "ab…gh");
  EXPECT_EQ(shorten_middle("abcdefghij", 7, "..."), "ab...ij");
  EXPECT_EQ(columns(shorten_middle("步长步长步长步长", 7)), 7);
}

TEST(ShortenMiddle, NeverExceedsTheLimit) {
  const std::string text = "a步b长c●d步e长fghij";
  for (int limit = 1; limit < 20; ++limit) EXPECT_LE(columns(shorten_middle(text, limit)), limit) << limit;
}

TEST(Wrap, BreaksAtBlanksAndLosesNothing) {
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("one two", 3), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(wrap("abcdefgh", 3), (std::vector<std::string>{"abc", "def", "gh"}));
  EXPECT_EQ(wrap("", 10), (std::vector<std::string>{""}));
}

TEST(Wrap, BreaksChineseAnywhere) {
  for (const auto& line : wrap("相邻元素相隔 8 字节，向量加载要求 4 字节，只能逐个计算。", 20)) EXPECT_LE(columns(line), 20) << line;
}

TEST(Grouped, SeparatesThousands) {
  EXPECT_EQ(grouped("10000"), "10,000");
  EXPECT_EQ(grouped("999"), "999");
  EXPECT_EQ(grouped("1234567"), "1,234,567");
  EXPECT_EQ(grouped("-1.5"), "-1.5");
}

TEST(ColumnsBefore, CountsColumnsNotBytes) {
  EXPECT_EQ(columns_before("é = 步**2", 2), 1);  // é is two bytes
  EXPECT_EQ(columns_before("步**2", 3), 2);
  EXPECT_EQ(columns_before("abc", 99), 3);
}

}  // namespace
}  // namespace callpath
