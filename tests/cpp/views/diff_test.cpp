#include "views/diff.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "core/error.hpp"
#include "explain/paths.hpp"
#include "explain/text.hpp"

namespace callpath {
namespace {

using test::the_pow_path;

std::string text(const Recording& a, const Recording& b, TerminalOptions options = {}) {
  return diff(a, 0, b, 0, options, {"01", "01-other"});
}

// What a contiguous column gives: another loop, another lambda, another answer.
Recording contiguous() {
  auto r = the_pow_path();
  auto& event = r.events[0];
  for (std::size_t i = 0; i < 8; ++i)
    for (auto* name : {&event.frames[i].name, &event.frames[i].full}) {
      *name = std::regex_replace(*name, std::regex("basic_loop"), "vectorized_loop");
      *name = std::regex_replace(*name, std::regex("lambda\\(float\\)"), "lambda(Vec)");
    }
  event.frames[0].source->line = 70;
  for (auto& f : event.facts)
    if (f.name == "strides") f.value = {4, 4}, f.text = "{4, 4}";
  for (auto& d : event.decisions)
    if (d.id == "loop.lambda") d.taken = "vector";
  return r;
}

TEST(Diff, EqualPathsAreAResult) {
  auto out = text(the_pow_path(), the_pow_path());
  EXPECT_NE(out.find("The same 14 stages on both sides."), std::string::npos);
  EXPECT_EQ(out.find("They part here"), std::string::npos);
  EXPECT_TRUE(same_path(the_pow_path(), 0, the_pow_path(), 0));
}

TEST(Diff, ValuesThatDifferAreNotes) {
  auto other = the_pow_path();
  other.events[0].frames[0].arguments[1].value = "-0.4339";
  auto out = text(the_pow_path(), other);
  EXPECT_NE(out.find("The same 14 stages"), std::string::npos);
  EXPECT_NE(out.find("-0.4339"), std::string::npos);
}

TEST(Diff, HasOneTrunkAndAFork) {
  auto out = text(the_pow_path(), contiguous());
  std::vector<std::string> in_order = {" A  01 ",
                                       " B  01-other ",
                                       "▸ 11 stages, the same on both sides",
                                       "     ╰─●  12–14  kernel     pow_tensor_scalar_optimized_kernel",
                                       "       ├─╮                  They part here: is every stride equal to the element size, 4?",
                                       "       │ │                  A  strides = {4, 8}  scalar",
                                       "B  strides = {4, 4}  vector",
                                       "     A ●         loop       basic_loop",
                                       "     A ◉         kernel     lambda(float)",
                                       "         ● B     loop       vectorized_loop",
                                       "         ◉ B     kernel     lambda(Vec)",
                                       "Frame by frame:"};
  std::size_t at = 0;
  for (const auto& part : in_order) {
    auto found = out.find(part, at);
    ASSERT_NE(found, std::string::npos) << part << "\n" << out;
    at = found + part.size();
  }
  EXPECT_FALSE(same_path(the_pow_path(), 0, contiguous(), 0));
}

TEST(Diff, ShowsAFrameThatOneSideLacks) {
  auto other = the_pow_path();
  other.events[0].frames.erase(other.events[0].frames.begin() + 31);  // inside the protocol frames of the operator
  for (auto& d : other.events[0].decisions)
    if (d.frame > 31) --d.frame;
  for (auto& f : other.events[0].facts)
    if (f.frame > 31) --f.frame;
  auto out = text(the_pow_path(), other);
  EXPECT_NE(out.find("only A #28"), std::string::npos) << out;
  EXPECT_NE(out.find("stages, the same on both sides"), std::string::npos);
}

TEST(Diff, EachSideOfAFrameHasItsOwnLine) {
  auto out = text(the_pow_path(), contiguous());
  auto said = out.substr(out.find("Frame by frame:"));
  std::istringstream lines(said);
  int a = 0, b = 0;
  std::string line;
  for (std::getline(lines, line); std::getline(lines, line);) {
    if (line.starts_with("    A #")) {
      if (line.find(", B the same but for ") == std::string::npos) ++a;
      EXPECT_EQ(line.find(" B #"), std::string::npos) << line;
    } else if (line.starts_with("    B #")) {
      ++b;
    }
  }
  EXPECT_GT(b, 0);
  EXPECT_EQ(a, b);
}

TEST(Diff, FitsItsWidth) {
  for (int width : {40, 60, 72, 80, 100, 120}) {
    TerminalOptions options;
    options.width = width;
    std::istringstream lines(text(the_pow_path(), contiguous(), options));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), width) << line;
  }
}

TEST(Diff, InAsciiNothingIsBeyondAscii) {
  TerminalOptions options;
  options.utf8 = false;
  for (unsigned char c : text(the_pow_path(), contiguous(), options)) ASSERT_LT(c, 0x80);
}

TEST(Diff, WithNothingInCommonIsAForkFromTheStart) {
  auto a = test::path({{Layer::kernel, "k"}}), b = test::path({{Layer::loop, "l"}});
  auto out = text(a, b);
  EXPECT_NE(out.find("They part here"), std::string::npos);
  EXPECT_EQ(out.find("the same on both sides"), std::string::npos);
}

TEST(Diff, SaysThatThereIsNoSuchEvent) { EXPECT_THROW(diff(the_pow_path(), 0, the_pow_path(), 3, {}), Error); }

}  // namespace
}  // namespace callpath
