#include "explain/story.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "explain/paths.hpp"
#include "explain/text.hpp"

namespace callpath {
namespace {

Decision decision(std::string label, std::vector<std::string> options, std::string taken) {
  Decision d;
  d.label = std::move(label);
  d.options = std::move(options);
  d.taken = std::move(taken);
  return d;
}

TEST(Choice, BracketsTheTakenOption) {
  EXPECT_EQ(to_string(choice_of(decision("exp", {"2", "3", "-2", "other"}, "3"))), "exp 2 [3] -2 other");
  EXPECT_EQ(to_string(choice_of(decision("", {"vector", "scalar"}, "scalar"))), "vector [scalar]");
}

TEST(Choice, FitsAndKeepsTheTakenOption) {
  auto long_one = decision("which key?", {"AutogradCPU", "ADInplaceOrView", "AutocastCPU", "BackendSelect", "CPU"}, "CPU");
  for (const auto& taken : long_one.options) {
    long_one.taken = taken;
    auto text = to_string(choice_of(long_one));
    EXPECT_LE(columns(text), 24) << text;
    EXPECT_NE(text.find("[" + taken + "]"), std::string::npos) << text;
  }
  auto text = to_string(choice_of(decision("", {std::string(100, 'x')}, std::string(100, 'x'))));
  EXPECT_EQ(columns(text), 24);
}

TEST(Choice, SaysOnWhichSideOptionsAreLeftOut) {
  const std::vector<std::string> exponents = {"0.5", "-0.5", "-1", "2", "3", "-2", "other"};
  EXPECT_EQ(to_string(choice_of(decision("exp", exponents, "3"))), "exp … -1 2 [3] -2 other");
  EXPECT_EQ(to_string(choice_of(decision("exp", exponents, "0.5"))), "exp [0.5] -0.5 -1 2 3 …");
  EXPECT_EQ(to_string(choice_of(decision("exp", exponents, "other"), 60)), "exp 0.5 -0.5 -1 2 3 -2 [other]");
}

TEST(Choice, SpeaksChinese) { EXPECT_EQ(to_string(choice_of(decision("overridden?", {"yes", "no"}, "no"), 24, "zh")), "被接管？ 是 [否]"); }

TEST(Choice, ShowsATakenOptionThatIsNotAmongTheOptions) { EXPECT_EQ(to_string(choice_of(decision("", {"a"}, "b"))), "a [b]"); }

TEST(Story, KnowsWhereTheLineStands) {
  auto r = test::the_pow_path();
  auto story = story_of(r, 0, "en");
  ASSERT_TRUE(story.from);
  EXPECT_EQ(story.from->place, "learn1.py:11");
  EXPECT_EQ(story.from->code, "y = X[:, 0]**2 + X[:, 1]**3");
  std::vector<std::string> marked;
  for (const auto& m : story.from->marks) marked.push_back(m.state + " " + story.from->code.substr(m.begin, m.end - m.begin));
  EXPECT_EQ(marked, (std::vector<std::string>{"returned [:, 0]", "returned **2", "pending +", "returned [:, 1]", "current **3"}));
  EXPECT_EQ(story.from->state, "3 calls returned, \1**3 is on the stack\2, + still to come");
  EXPECT_EQ(story.to->code, "return base * base * base;");
  EXPECT_EQ(story.to->state, "base = -1.1523602");
}

TEST(Story, MarksFollowIndentationAndUtf8) {
  auto r = test::the_pow_path();
  auto& event = r.events[0];
  auto& user = event.frames[*user_frame(event)];
  user.source->excerpt = Excerpt{11, {"    é = f(X)**3  # true"}};
  event.operations = {event.operations[3]};  // **3: bytes 13 to 16 of the line, é being two
  event.operations[0].mark_begin = 13, event.operations[0].mark_end = 16, event.operations[0].column = 9,
  event.operations[0].end_column = 16;
  auto story = story_of(r, 0, "en");
  EXPECT_EQ(story.from->code, "é = f(X)**3");
  ASSERT_EQ(story.from->marks.size(), 1u);
  EXPECT_EQ(story.from->code.substr(story.from->marks[0].begin, 3), "**3");
}

TEST(Story, NestedMarksDoNotOverlap) {
  auto r = test::the_pow_path();
  auto& event = r.events[0];
  event.frames[*user_frame(event)].source->excerpt = Excerpt{11, {"f(g(x), y)"}};
  Operation outer, inner;
  outer.line = outer.end_line = inner.line = inner.end_line = 11;
  outer.mark_begin = 1, outer.mark_end = 10, outer.state = "pending";
  inner.mark_begin = 3, inner.mark_end = 6, inner.state = "current";
  event.operations = {outer, inner};
  auto story = story_of(r, 0, "en");
  std::size_t end = 0;
  for (const auto& m : story.from->marks) {
    EXPECT_GE(m.begin, end);
    end = m.end;
  }
  EXPECT_EQ(story.from->marks.size(), 3u);
}

TEST(Story, SurvivesMarksOutsideOfTheLine) {
  auto r = test::the_pow_path();
  auto& ops = r.events[0].operations;
  ops[0].mark_begin = -5, ops[0].mark_end = 4000;
  ops[1].mark_begin = 20, ops[1].mark_end = 3;
  ops[2].line.reset();
  ops[3].end_line = 12;
  EXPECT_NO_THROW(story_of(r, 0, "en"));
}

TEST(Story, ShowsNoAddressAsTheValue) {
  auto r = test::the_pow_path();
  auto& arguments = r.events[0].frames[0].arguments;
  r.events[0].decisions.clear();
  for (const char* address : {"0x7ffd1234", "@0x7ffd1234: {}", "(char **) 0x7ffd1234"}) {
    for (auto& a : arguments) a.value = address;
    auto story = story_of(r, 0, "en");
    EXPECT_EQ(story.to->state, "") << address;
    EXPECT_FALSE(story.rows[0].choice) << address;
  }
}

TEST(Story, PrefersTheValueThatTheConditionNames) {
  auto r = test::the_pow_path();
  auto& frame = r.events[0].frames[0];
  frame.arguments = {{"first", "int", "1", {}}, {"base", "float", "2", {}}};
  EXPECT_EQ(story_of(r, 0, "en").to->state, "first = 1");
  r.events[0].trigger.condition = "base < 0 && first_of_all";
  EXPECT_EQ(story_of(r, 0, "en").to->state, "base = 2");
  r.events[0].trigger.condition = "rebase > first";
  EXPECT_EQ(story_of(r, 0, "en").to->state, "first = 1");
}

TEST(Story, EachDispatcherCallHasItsOwnFacts) {
  auto r = test::path({{Layer::kernel, "k"}, {Layer::dispatcher, "redispatch"}, {Layer::autograd, "a"}, {Layer::dispatcher, "call"}});
  auto& event = r.events[0];
  auto fact = [&](int frame, const char* text) { event.facts.push_back({"key_set", text, text, "", frame, "local call"}); };
  fact(1, "{CPU}"), fact(3, "{CPU, AutogradCPU}");
  for (int frame : {1, 3}) {
    Decision d;
    d.frame = frame, d.options = {"CPU"}, d.taken = "CPU", d.facts = {"key_set"};
    event.decisions.push_back(d);
  }
  auto story = story_of(r, 0, "en");
  ASSERT_EQ(story.rows[1].facts.size(), 1u);
  EXPECT_EQ(story.rows[1].facts[0]->text, "{CPU}");
  ASSERT_EQ(story.rows[3].facts.size(), 1u);
  EXPECT_EQ(story.rows[3].facts[0]->text, "{CPU, AutogradCPU}");
}

TEST(Story, EachUserFrameIsARowAndTheInnermostHasTheOperation) {
  auto r = test::path({{Layer::kernel, "k"},
                       {Layer::user, "poly", Kind::python},
                       {Layer::user, "main", Kind::python},
                       {Layer::user, "<module>", Kind::python},
                       {Layer::eval, "_PyEval_EvalFrameDefault"}});
  auto& event = r.events[0];
  for (int i : {1, 2, 3}) event.frames[static_cast<std::size_t>(i)].source = Source{"/a/own.py", 10 * i, {}};
  event.operations.resize(1);
  event.operations[0].state = "current";
  auto story = story_of(r, 0, "en");
  ASSERT_EQ(story.rows.size(), 4u);
  EXPECT_EQ(story.from->place, "own.py:10");
  EXPECT_EQ(story.rows[1].name, "poly");
  EXPECT_EQ(story.rows[1].place, "own.py:10");
  EXPECT_EQ(story.rows[1].note.id, "user.operation");
  for (std::size_t i : {2u, 3u}) EXPECT_EQ(story.rows[i].note.id, "user.calls_user");
  EXPECT_EQ(story.rows[3].name, "<module>");
  EXPECT_FALSE(story.rows[3].stage.folded);
}

TEST(Story, AnUnknownPartIsNotAMissingName) {
  auto r = test::path({{Layer::kernel, "k"}, {Layer::unknown, "fast_norm"}});
  r.modules.resize(1);
  r.modules[0].name = "fast.so";
  auto& frame = r.events[0].frames[1];
  frame.module = 0;
  for (auto confidence : {Confidence::exact, Confidence::symbol, Confidence::module}) {
    frame.confidence = confidence;
    auto row = story_of(r, 0, "en").rows[1];
    bool nameless = confidence == Confidence::module;
    EXPECT_EQ(row.sentence,
              nameless ? "Native code of fast.so. No symbol names it." : "Native code of fast.so. No rule says what part it plays.");
    EXPECT_EQ(row.stage.tone == Tone::unknown, nameless);
  }
}

TEST(Story, CountsFramesByKind) {
  auto r = test::the_pow_path();
  auto t = story_of(r, 0, "en").totals;
  EXPECT_EQ(t.native, 53);
  EXPECT_EQ(t.python, 2);
  EXPECT_EQ(t.elided, 2);
}

TEST(Story, SaysThatThereIsNoSuchEvent) {
  auto r = test::the_pow_path();
  EXPECT_THROW(story_of(r, 1, "en"), Error);
}

}  // namespace
}  // namespace callpath
