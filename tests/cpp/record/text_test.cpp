#include "record/text.hpp"

#include <gtest/gtest.h>

#include <random>

namespace callpath {
namespace {

TEST(PrintableUtf8, LeavesUtf8AsItIs) {
  for (const std::string text : {"", "plain", "é", "名前", "\U0001f600", "\x01\x7f", "\uffff", "\U0010ffff"})
    EXPECT_EQ(printable_utf8(text), text);
}

TEST(PrintableUtf8, SpellsOutBytesThatAreNotUtf8) {
  EXPECT_EQ(printable_utf8("caf\xe9.py"), "caf\\xe9.py");
  EXPECT_EQ(printable_utf8("\xff"), "\\xff");
  EXPECT_EQ(printable_utf8("\xc3"), "\\xc3") << "cut off";
  EXPECT_EQ(printable_utf8("\xe4\xb8"), "\\xe4\\xb8");
  EXPECT_EQ(printable_utf8("\xc0\x80"), "\\xc0\\x80") << "overlong";
  EXPECT_EQ(printable_utf8("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "past the last character";
  EXPECT_EQ(printable_utf8("\xed\xb2\x80x"), "\\udc80x") << "an encoded surrogate";
}

// Published vectors: RFC 4648, section 10.
TEST(Base64, EqualsThePublishedVectors) {
  const std::vector<std::pair<std::string, std::string>> vectors{
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, coded] : vectors) {
    const std::vector<std::uint8_t> bytes(plain.begin(), plain.end());
    EXPECT_EQ(base64(bytes), coded);
    EXPECT_EQ(from_base64(coded), bytes);
  }
}

TEST(Base64, AnyBytesComeBackAndOtherTextIsRefused) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint8_t> bytes(random() % 100);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
    EXPECT_EQ(from_base64(base64(bytes)), bytes);
  }
  for (const char* const bad : {"Z", "Zg=", "Z===", "====", "Zg==Zg==", "Zm 8", "Zm9\xff"})
    EXPECT_EQ(from_base64(bad), std::nullopt) << bad;
}

TEST(PrepareJson, SpellsOutLoneSurrogatesAndLeavesPairs) {
  EXPECT_EQ(prepare_json(R"("\ud83d\ude00")").text, R"("\ud83d\ude00")");
  EXPECT_EQ(prepare_json(R"("\udc80")").text, R"("\\udc80")");
  EXPECT_EQ(prepare_json(R"("\ud800x\ud800\n")").text, R"("\\ud800x\\ud800\n")");
  EXPECT_EQ(prepare_json(R"("\\udc80")").text, R"("\\udc80")") << "an escaped backslash before the letter u";
  EXPECT_EQ(prepare_json(R"("\)").text, R"("\)");
}

TEST(PrepareJson, CountsNestingOutsideText) {
  EXPECT_EQ(prepare_json(R"({"a": [[1], "[[[[{{{{"]})").depth, 3u);
  EXPECT_EQ(prepare_json("]]]][").depth, 1u);
}

TEST(PrepareJson, KnowsWhereAByteWas) {
  const auto prepared = prepare_json(R"({"a": "\udc80\udc81", !)");
  EXPECT_EQ(prepared.original_offset(prepared.text.find('!')), std::string(R"({"a": "\udc80\udc81", !)").find('!'));
}

}  // namespace
}  // namespace callpath
