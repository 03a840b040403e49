#include "explain/stages.hpp"

#include <gtest/gtest.h>

#include <set>

#include "explain/paths.hpp"

namespace callpath {
namespace {

using test::path;

std::vector<Stage> stages(const Recording& r) { return stages_of(r.events[0], r); }

std::vector<std::string> shape(const Recording& r) {
  std::vector<std::string> out;
  for (const auto& s : stages(r)) out.push_back(number_range(s, "-") + " " + to_string(s.layer) + (s.folded ? " folded" : ""));
  return out;
}

TEST(Stages, ThePowPathHasTheFourteenOfTheDesign) {
  EXPECT_EQ(shape(test::the_pow_path()),
            (std::vector<std::string>{"0 kernel", "1-11 loop", "12-14 kernel", "- stub", "15-16 operator", "17 dispatcher",
                                      "18-19 autograd", "20 dispatcher", "21 binding", "22-23 protocol folded", "24 wrapper",
                                      "25-35 protocol folded", "36 user", "37-52 startup folded"}));
}

TEST(Stages, EveryFrameIsInExactlyOneStage) {
  auto r = test::the_pow_path();
  std::multiset<std::size_t> seen;
  for (const auto& s : stages(r)) seen.insert(s.frames.begin(), s.frames.end());
  EXPECT_EQ(seen.size(), r.events[0].frames.size());
  EXPECT_EQ(std::set<std::size_t>(seen.begin(), seen.end()).size(), r.events[0].frames.size());
}

TEST(Stages, APythonFrameSharesItsRowWithTheFrameThatRunsIt) {
  auto r = path({{Layer::user, "f", Kind::python}, {Layer::eval, "_PyEval_EvalFrameDefault"}, {Layer::startup, "main"}});
  auto s = stages(r);
  ASSERT_EQ(s.size(), 2u);
  EXPECT_EQ(number_range(s[0]), "0");
  EXPECT_EQ(s[0].python_count, 1);
  EXPECT_EQ(s[0].key, 0u);
}

TEST(Stages, TheStopItselfIsNamedEvenIfItIsAnEvaluation) {
  auto r = path({{Layer::eval, "_PyEval_EvalFrameDefault"}, {Layer::protocol, "_PyEval_Vector"}, {Layer::startup, "main"}});
  auto s = stages(r);
  EXPECT_EQ(s[0].layer, Layer::protocol);
  EXPECT_EQ(r.events[0].frames[s[0].key].full, "_PyEval_EvalFrameDefault");
}

TEST(Stages, AnEvaluationWithoutPythonFrameIsProtocol) {
  auto r = path({{Layer::kernel, "k"}, {Layer::eval, "_PyEval_EvalFrameDefault"}, {Layer::protocol, "call"}});
  EXPECT_EQ(shape(r), (std::vector<std::string>{"0 kernel", "1-2 protocol folded"}));
}

TEST(Stages, PlumbingBelongsToWhatItLeadsInto) {
  auto r = path({{Layer::kernel, "k"}, {Layer::op, "o"}, {Layer::glue, "std::invoke"}, {Layer::dispatcher, "d"}});
  EXPECT_EQ(shape(r), (std::vector<std::string>{"0 kernel", "1-2 operator", "3 dispatcher"}));
}

TEST(Stages, PlumbingAroundTheStopBelongsToItsCaller) {
  auto r = path({{Layer::kernel, "lambda"}, {Layer::glue, "std::invoke"}, {Layer::loop, "basic_loop"}});
  EXPECT_EQ(shape(r), (std::vector<std::string>{"0 kernel", "1-2 loop"}));
}

TEST(Stages, TheStopIsNeverFolded) {
  auto r = path({{Layer::protocol, "PyNumber_Add"}, {Layer::protocol, "x"}, {Layer::user, "f", Kind::python}, {Layer::eval, "e"}});
  EXPECT_EQ(shape(r), (std::vector<std::string>{"0-1 protocol", "2 user"}));
}

TEST(Stages, UnknownFramesAreNeverFolded) {
  auto r = path({{Layer::kernel, "k"}, {Layer::unknown, "??"}, {Layer::protocol, "p"}});
  EXPECT_EQ(shape(r)[1], "1 unknown");
}

TEST(Stages, MachineryBetweenImportFramesFoldsWithTheImport) {
  auto r = path({{Layer::user, "<module>", Kind::python},
                 {Layer::eval, "e"},
                 {Layer::protocol, "p"},
                 {Layer::import, "_call_with_frames_removed", Kind::python},
                 {Layer::eval, "e"},
                 {Layer::protocol, "q"},
                 {Layer::import, "_find_and_load", Kind::python},
                 {Layer::eval, "e"},
                 {Layer::protocol, "r"}});
  auto s = stages(r);
  ASSERT_EQ(s.size(), 4u);
  EXPECT_EQ(s[2].layer, Layer::import);
  EXPECT_EQ(s[2].python_count, 2);
  EXPECT_TRUE(s[2].folded);
}

TEST(Stages, WhatLeftNoFrameHasNoNumber) {
  auto r = path({{Layer::kernel, "k"}, {Layer::stub, "s", Kind::elided}, {Layer::op, "o"}});
  auto s = stages(r);
  EXPECT_TRUE(s[1].elided);
  EXPECT_EQ(number_range(s[1]), "–");
  EXPECT_FALSE(s[0].elided);
}

TEST(Stages, ARecursionThroughCIsOneRound) {
  Recording r = path({});
  auto& frames = r.events[0].frames;
  for (int i = 0; i < 500; ++i) {
    auto round = path({{Layer::user, "r", Kind::python}, {Layer::eval, "e"}, {Layer::protocol, "call"}});
    for (auto& f : round.events[0].frames) {
      f.number = static_cast<int>(frames.size());
      if (f.kind == Kind::python) f.number = *f.number + 1;
      frames.push_back(f);
    }
  }
  // The innermost round is shown by itself if the stop makes it differ; all others are one.
  auto s = stages(r);
  EXPECT_LE(s.size(), 4u);
  EXPECT_GE(s.back().repeats, 499);
}

TEST(Stages, WorldsAndTonesFollowTheLayer) {
  auto r = test::the_pow_path();
  std::vector<World> worlds;
  for (const auto& s : stages(r)) worlds.push_back(s.world);
  using enum World;
  EXPECT_EQ(worlds, (std::vector<World>{kernel, kernel, kernel, cpp, cpp, cpp, cpp, cpp, cpp, cpython, World::python, cpython,
                                        World::python, cpython}));
}

TEST(Stages, AnEmptyEventHasNone) { EXPECT_TRUE(stages(path({})).empty()); }

TEST(UserFrame, IsTheInnermostOne) {
  auto r = path({{Layer::wrapper, "w", Kind::python}, {Layer::user, "f", Kind::python}, {Layer::user, "<module>", Kind::python}});
  EXPECT_EQ(user_frame(r.events[0]), 1u);
  EXPECT_EQ(user_frame(path({{Layer::kernel, "k"}}).events[0]), std::nullopt);
}

}  // namespace
}  // namespace callpath
