#include "cli/lesson.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "cli/lesson_html.hpp"
#include "cli/questions.hpp"
#include "core/error.hpp"

namespace {

using namespace callpath;
using namespace callpath::cli;
namespace fs = std::filesystem;

/// A file with a text, for the time of one test.
struct File {
  fs::path path = fs::temp_directory_path() / ("callpath-lesson-test." + std::to_string(getpid()) + ".md");
  explicit File(const std::string& text) { std::ofstream(path) << text; }
  ~File() { fs::remove(path); }
};

TEST(Lesson, StepsHaveKindTitleTextAndCommands) {
  const File file(
      "# 02 Title\n\nFirst.\n\n## Guess: which?\n\nText.\n\n```python\n## no heading\n```\n\n## 运行：停\n\n```gdb\nbreak "
      "f\nrun\n```\n\nAfter.\n");
  const auto lesson = read_lesson(file.path);
  EXPECT_EQ(lesson.title, "02 Title");
  EXPECT_EQ(lesson.introduction, "First.\n");
  ASSERT_EQ(lesson.steps.size(), 2u);
  EXPECT_EQ(lesson.steps[0].kind, "guess");
  EXPECT_EQ(lesson.steps[0].title, "which?");
  EXPECT_EQ(lesson.steps[0].text, "Text.\n\n```python\n## no heading\n```\n");
  EXPECT_TRUE(lesson.steps[0].gdb.empty());
  EXPECT_EQ(lesson.steps[1].kind, "run");
  EXPECT_EQ(lesson.steps[1].text, "After.\n");
  EXPECT_EQ(lesson.steps[1].gdb, (std::vector<std::string>{"break f", "run"}));
}

TEST(Lesson, AHeadingWithoutAKindIsNamedWithItsLine) {
  const File file("# T\n\n## Nothing\n");
  try {
    read_lesson(file.path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(":3: "), std::string::npos) << error.what();
  }
}

TEST(Lesson, ABlockThatDoesNotEndIsRefused) {
  const File file("# T\n\n## Run: x\n\n```gdb\nrun\n");
  EXPECT_THROW(read_lesson(file.path), Error);
}

TEST(LessonHtml, EverythingIsEscapedButItsOwnMarks) {
  EXPECT_EQ(html_of_markdown("a < b & `x<y>` **so**\nmore\n"), "<p>a &lt; b &amp; <code>x&lt;y&gt;</code> <strong>so</strong> more</p>\n");
  EXPECT_EQ(html_of_markdown("```cpp\nT<int> x;\n```\n"), "<pre>T&lt;int&gt; x;</pre>\n");
  EXPECT_EQ(html_of_markdown("<script>alert(1)</script>\n"), "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n");
  EXPECT_EQ(html_of_markdown("[x](javascript:alert(1))\n").find("href"), std::string::npos);
}

TEST(LessonHtml, ListsAndTables) {
  EXPECT_EQ(html_of_markdown("1. one\n   and on\n2. two\n"), "<ol>\n<li>one and on</li>\n<li>two</li>\n</ol>\n");
  EXPECT_EQ(html_of_markdown("| a | b |\n|---|---|\n| 1 | 2 |\n").find("<td> 1 </td>") != std::string::npos, true);
}

Recording with_frames(std::vector<std::string> full, Kind kind = Kind::native) {
  Recording recording;
  Event event;
  for (auto& name : full) {
    Frame frame;
    frame.kind = kind;
    frame.full = name;
    event.frames.push_back(frame);
  }
  recording.events.push_back(event);
  return recording;
}

Question counting(const std::string& pattern, std::vector<std::string> values) {
  Question question;
  question.asks = Question::Asks::frames;
  question.what = pattern;
  for (auto& value : values) question.options.push_back({value, {value, ""}, ""});
  return question;
}

TEST(Questions, FramesAreCountedByNameAndKind) {
  auto question = counting("wrapped$", {"0", "1", "2+"});
  EXPECT_EQ(answer(question, with_frames({"a.wrapped", "b", "c.wrapped"})), "2");
  question.kind = "python";
  EXPECT_EQ(answer(question, with_frames({"a.wrapped"})), "0");
}

TEST(Questions, OptionsMeanNumbersYesNoAndAtLeast) {
  const auto counts = counting("x", {"0", "1", "2+"});
  EXPECT_EQ(option_for(counts, "0")->value, "0");
  EXPECT_EQ(option_for(counts, "7")->value, "2+");
  const auto words = counting("x", {"yes", "no"});
  EXPECT_EQ(option_for(words, "3")->value, "yes");
  EXPECT_EQ(option_for(words, "0")->value, "no");
  EXPECT_EQ(option_for(words, "other"), nullptr);
}

TEST(Questions, ARecordingWithoutEventsAnswersOnlyHowManyThereAre) {
  auto question = counting("x", {});
  EXPECT_EQ(answer(question, Recording{}), std::nullopt);
  question.asks = Question::Asks::events;
  EXPECT_EQ(answer(question, Recording{}), "0");
}

TEST(Questions, DecisionsAndFactsAreThoseOfTheFirstEvent) {
  auto recording = with_frames({"f"});
  Decision decision;
  decision.id = "loop.lambda";
  decision.taken = "scalar";
  recording.events[0].decisions.push_back(decision);
  Question question;
  question.what = "loop.lambda";
  EXPECT_EQ(answer(question, recording), "scalar");
  question.what = "loop.other";
  EXPECT_EQ(answer(question, recording), std::nullopt);
}

}  // namespace
