#include "views/terminal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "explain/paths.hpp"
#include "explain/text.hpp"

namespace callpath {
namespace {

using test::the_pow_path;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::vector<std::string> form(TerminalOptions options = {}, const Recording& r = the_pow_path()) {
  return lines_of(terminal(r, 0, options));
}

// Characters of a line by column; every character of these paths is one column wide.
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out;
  for (unsigned char c : line) {
    if ((c & 0xc0) == 0x80)
      out.back() += static_cast<char>(c);
    else
      out.emplace_back(1, static_cast<char>(c));
  }
  return out;
}

std::string from_column(const std::string& line, std::size_t first, std::size_t count = 1000) {
  std::string out;
  auto all = cells(line);
  for (std::size_t i = first; i < std::min(all.size(), first + count); ++i) out += all[i];
  return out;
}

std::string trimmed(std::string s) {
  s.erase(0, s.find_first_not_of(' '));
  auto end = s.find_last_not_of(' ');
  return end == std::string::npos ? "" : s.substr(0, end + 1);
}

bool is_layer(const std::string& s) {
  static const std::vector<std::string> names = {"user",     "wrapper", "protocol", "binding", "dispatcher", "autograd",
                                                 "operator", "stub",    "loop",     "kernel",  "startup"};
  return std::find(names.begin(), names.end(), s) != names.end();
}

std::vector<std::string> rows(const std::vector<std::string>& lines) {
  std::vector<std::string> out;
  for (const auto& line : lines)
    if (is_layer(trimmed(from_column(line, 17, 11)))) out.push_back(line);
  return out;
}

// The form of the design: line 8, numbers 6 flush right, layer 10, text from column 28 (counted from 0), decision flush right at 100.

TEST(Terminal, HasItsColumns) {
  auto all = rows(form());
  ASSERT_EQ(all.size(), 14u);
  for (const auto& line : all) {
    EXPECT_TRUE(std::regex_match(trimmed(from_column(line, 8, 7)), std::regex("[0-9]+(–[0-9]+)?|–|[─╯]* *[0-9]+"))) << line;
    EXPECT_EQ(from_column(line, 15, 2), "  ") << line;
    EXPECT_NE(from_column(line, 28, 1), " ") << line;
    EXPECT_EQ(from_column(line, 27, 1), " ") << line;
  }
}

TEST(Terminal, DecisionsStandFlushRight) {
  int with_decision = 0;
  for (const auto& line : rows(form()))
    if (line.find('[') != std::string::npos) {
      ++with_decision;
      EXPECT_EQ(columns(line), 100) << line;
    }
  EXPECT_EQ(with_decision, 11);
}

TEST(Terminal, TheLineRunsThroughItsLanes) {
  std::string shape;
  for (const auto& line : rows(form())) shape += trimmed(from_column(line, 0, 8)) + "|";
  EXPECT_EQ(shape, "·|●─╯|╰─·|●─╯|╰─·|╰─●|●|●|●|●|○|╰─●|●|◉|");
}

TEST(Terminal, NodesStandInTheLaneOfTheirWorld) {
  std::string lanes;
  for (const auto& line : rows(form())) {
    auto all = cells(line);
    for (std::size_t i = 0; i < 8; ++i)
      if (all[i] == "●" || all[i] == "·" || all[i] == "○" || all[i] == "◉") lanes += std::to_string(i);
  }
  EXPECT_EQ(lanes, "31313555555777");
}

TEST(Terminal, NothingIsWiderThanAsked) {
  for (int width : {40, 50, 60, 71, 72, 80, 89, 90, 100, 120}) {
    TerminalOptions options;
    options.width = width;
    options.full = options.by_hand = true;
    for (const auto& line : form(options)) EXPECT_LE(columns(line), width) << line;
  }
}

TEST(Terminal, NothingIsWiderThanAskedInChinese) {
  for (int width : {40, 72, 80, 100}) {
    TerminalOptions options;
    options.width = width;
    options.language = "zh";
    for (const auto& line : form(options)) EXPECT_LE(columns(line), width) << line;
  }
}

TEST(Terminal, MarksStandUnderTheirOperations) {
  auto all = form();
  auto at = std::find_if(all.begin(), all.end(), [](const auto& l) { return l.find("y = X[:, 0]") != std::string::npos; });
  ASSERT_NE(at, all.end());
  EXPECT_EQ(*at, "  learn1.py:11   y = X[:, 0]**2 + X[:, 1]**3");
  EXPECT_EQ(*(at + 1), "                      ╶─────╶── ·  ╶─────━━━   ╶─ returned   ━ on the stack   · still to come");
}

TEST(Terminal, SaysTheSentences) {
  auto text = terminal(the_pow_path(), 0, {});
  for (const char* sentence :
       {"Your line. The interpreter stands at one instruction of it.",
        "▸ 11 frames: ** asks the type for its power slot, the slot calls __pow__", "▸ 16 frames: Python starts and runs learn1.py",
        "▸ 2 frames: f(*args, **kwargs) calls a C method", "The elements lie 8 bytes apart and vector loads need 4: one at a time.",
        "53 C and C++ frames, 2 Python frames, 2 calls that left no frame."})
    EXPECT_NE(text.find(sentence), std::string::npos) << sentence;
}

TEST(Terminal, EndsWithTheLineThatRuns) {
  auto all = form();
  auto here = std::find_if(all.begin(), all.end(), [](const auto& l) { return l.find("▸ 67") != std::string::npos; });
  ASSERT_NE(here, all.end());
  EXPECT_TRUE(here->starts_with("  ▸ 67   "));
  EXPECT_NE(here->find("return base * base * base;"), std::string::npos);
  EXPECT_TRUE(here->ends_with("base = -1.1523602"));
  EXPECT_EQ(columns(*here), 100);
}

TEST(Terminal, AWideValueLeavesTheSourceLineItsRoom) {
  auto r = the_pow_path();
  auto& event = r.events[0];
  for (auto& a : event.frames[0].arguments)
    if (a.name == "base") a.value = "{-1.1523602, -0.4339, 0.25, 1.5, 2.5, 3.5, 4.5, 5.5}";
  for (auto& d : event.decisions)
    if (d.id == "kernel.value") d.options = {"base = 16 lanes"}, d.taken = "base = 16 lanes";
  bool found = false;
  for (const auto& line : form({}, r)) {
    if (line.find("return base * base * base;  ") == std::string::npos) continue;
    found = found || line.ends_with("base = 16 lanes");
    EXPECT_EQ(line.find("-0.4339"), std::string::npos) << line;
  }
  EXPECT_TRUE(found);
}

TEST(Terminal, BelowNinetyTheDecisionMovesToTheSentence) {
  TerminalOptions options;
  options.width = 80;
  auto all = form(options);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].find("basic_loop") != std::string::npos) {
      EXPECT_EQ(all[i].find("[scalar]"), std::string::npos);
    }
  auto text = terminal(the_pow_path(), 0, options);
  EXPECT_NE(text.find("[scalar]\n"), std::string::npos);
}

TEST(Terminal, BelowSeventyTwoThereAreNoLanes) {
  TerminalOptions options;
  options.width = 71;
  auto text = terminal(the_pow_path(), 0, options);
  for (const char* glyph : {"●", "│", "╰", "╯", "┊"}) EXPECT_EQ(text.find(glyph), std::string::npos) << glyph;
}

TEST(Terminal, InAsciiNothingOfItsOwnIsBeyondAscii) {
  TerminalOptions options;
  options.utf8 = false;
  options.full = true;
  for (unsigned char c : terminal(the_pow_path(), 0, options)) ASSERT_LT(c, 0x80);
  std::string shape;
  for (const auto& line : rows(form(options))) shape += trimmed(from_column(line, 0, 8)) + "|";
  EXPECT_EQ(shape, ".|o-/|\\-.|o-/|\\-.|\\-o|o|o|o|o|o|\\-o|o|O|");
}

TEST(Terminal, ColourChangesNoText) {
  auto plain = terminal(the_pow_path(), 0, {});
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  for (auto colour : {Colour::basic, Colour::full}) {
    TerminalOptions options;
    options.colour = colour;
    auto painted = terminal(the_pow_path(), 0, options);
    EXPECT_NE(painted.find("\x1b["), std::string::npos);
    EXPECT_EQ(std::regex_replace(painted, std::regex("\x1b\\[[0-9;]*m"), ""), plain);
  }
}

TEST(Terminal, FullShowsEveryFrame) {
  TerminalOptions options;
  options.full = true;
  auto text = terminal(the_pow_path(), 0, options);
  auto r = the_pow_path();
  for (const auto& f : r.events[0].frames)
    if (f.number) {
      EXPECT_NE(text.find("#" + std::to_string(*f.number)), std::string::npos) << *f.number;
    }
  EXPECT_NE(text.find("vectorcall_maybe"), std::string::npos);
  EXPECT_NE(text.find("inlined"), std::string::npos);
  EXPECT_NE(text.find("left no frame"), std::string::npos);
}

TEST(Terminal, ByHandIsPlainGdb) {
  TerminalOptions options;
  options.by_hand = true;
  options.by_hand_stages = {{"loop", "", {"frame {frame}", "info args"}}, {"kernel", "lambda", {"frame {frame}", "print base"}}};
  auto text = terminal(the_pow_path(), 0, options);
  EXPECT_NE(text.find("(gdb) frame 6"), std::string::npos);
  EXPECT_NE(text.find("(gdb) print base"), std::string::npos);
  EXPECT_EQ(text.find("(gdb) callpath"), std::string::npos);
  EXPECT_EQ(text.find("{frame}"), std::string::npos);
}

TEST(Terminal, GdbOrderBeginsWithFrameZero) {
  TerminalOptions options;
  options.gdb_order = true;
  auto all = rows(form(options));
  ASSERT_EQ(all.size(), 14u);
  EXPECT_NE(all.front().find("lambda(float)"), std::string::npos);
  EXPECT_NE(all.back().find("startup"), std::string::npos);
  EXPECT_NE(terminal(the_pow_path(), 0, options).find("as gdb counts"), std::string::npos);
}

TEST(Terminal, LongNamesLoseTheirMiddle) {
  auto r = the_pow_path();
  auto& f = r.events[0].frames[0];
  f.name = f.full = "begin_" + std::string(300, 'x') + "_end";
  auto text = terminal(r, 0, {});
  EXPECT_NE(text.find("begin_"), std::string::npos);
  EXPECT_NE(text.find("_end"), std::string::npos);
  for (const auto& line : lines_of(text)) EXPECT_LE(columns(line), 100) << line;
}

TEST(Terminal, ControlCharactersDoNotReachTheTerminal) {
  auto r = the_pow_path();
  auto& event = r.events[0];
  event.frames[0].name = event.frames[0].full = "a\x1b[2J\x07";
  event.frames[24].name = "\r\n\x1b]0;title\x07";
  event.frames[0].arguments[1].value = "\x1b[31m";
  event.facts[0].text = "\x1b[31m";
  event.decisions[0].taken = "\x1b[31m";
  event.thread.note = "\x1b[31m";
  r.target.engine = "\x1b[31m";
  TerminalOptions options;
  options.full = options.by_hand = true;
  for (char c : terminal(r, 0, options)) ASSERT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
}

TEST(Terminal, SurvivesARecordWithAlmostNothing) {
  Recording r;
  r.events.emplace_back();
  EXPECT_NO_THROW(terminal(r, 0, {}));
  r.events[0].frames.emplace_back();
  EXPECT_NO_THROW(terminal(r, 0, {}));
}

TEST(Terminal, SaysThatAWalkIsIncomplete) {
  auto r = the_pow_path();
  r.events[0].complete = false;
  r.events[0].incomplete_reason = "no unwind information at 0x1234";
  EXPECT_NE(terminal(r, 0, {}).find("no unwind information at 0x1234"), std::string::npos);
}

}  // namespace
}  // namespace callpath
