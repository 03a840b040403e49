#include "merge/merge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace callpath {
namespace {

// Frames of 0x100 bytes each, innermost at `base`.
RawStack native_stack(std::size_t count, std::uint64_t base = 0x7000) {
  RawStack stack;
  for (std::size_t i = 0; i < count; ++i) {
    RawFrame frame;
    frame.sp = Address{base + 0x100 * i};
    frame.cfa = Address{base + 0x100 * (i + 1)};
    stack.frames.push_back(frame);
  }
  stack.complete = true;
  return stack;
}

Address inside(std::size_t native, std::uint64_t base = 0x7000) { return {base + 0x100 * native + 0x40}; }

PythonRun run(Address anchor, const std::vector<std::string>& names) {
  PythonRun out{anchor, {}};
  for (const auto& name : names) {
    PythonFrame frame;
    frame.code.qualname = name;
    frame.entry = name == names.back();
    out.frames.push_back(frame);
  }
  return out;
}

PythonStack python(std::vector<PythonRun> runs) {
  PythonStack stack;
  stack.found = true;
  stack.runs = std::move(runs);
  return stack;
}

// "n0 n1 f:2 n2": native frames by index, Python frames by name and the native frame that runs them.
std::string shape(const Merged& merged, const PythonStack& python) {
  std::string out;
  for (const auto& entry : merged.order) {
    if (!out.empty()) out += ' ';
    if (entry.what == MergedEntry::What::native)
      out += "n" + std::to_string(entry.native);
    else
      out += python.runs[entry.run].frames[entry.frame].code.qualname + ":" + std::to_string(entry.native);
  }
  return out;
}

struct Case {
  RawStack native;
  PythonStack python;
  IsEvaluation evaluation;
  Merged merged() const { return merge_by_address(native, python, evaluation); }
  std::string shape() const { return callpath::shape(merged(), python); }
};

TEST(Merge, PutsEachRunJustInsideTheFrameThatHoldsItsAnchor) {
  const Case c{native_stack(6), python({run(inside(2), {"f", "g"}), run(inside(4), {"<module>"})}), {}};
  EXPECT_EQ(c.shape(), "n0 n1 f:2 g:2 n2 n3 <module>:4 n4 n5");
  EXPECT_TRUE(c.merged().merged);
  EXPECT_EQ(c.merged().note, "");
}

TEST(Merge, AnAnchorAtTheFramesFirstByteBelongsToItAndOneAtItsCfaToTheNext) {
  Case c{native_stack(3), python({run({0x7100}, {"f"})}), {}};
  EXPECT_EQ(c.shape(), "n0 f:1 n1 n2");
  c.python.runs[0].anchor = Address{0x71ff};
  EXPECT_EQ(c.shape(), "n0 f:1 n1 n2");
  c.python.runs[0].anchor = Address{0x7200};
  EXPECT_EQ(c.shape(), "n0 n1 f:2 n2");
}

TEST(Merge, ARunWithoutFramesTakesNoPlace) {
  const Case c{native_stack(3), python({run(inside(0), {}), run(inside(2), {"f"})}), {}};
  EXPECT_EQ(c.shape(), "n0 n1 f:2 n2");
  EXPECT_EQ(c.merged().note, "");
}

TEST(Merge, WithoutPythonTheNativeStackStaysAsItIs) {
  const Case c{native_stack(2), {}, {}};
  EXPECT_EQ(c.shape(), "n0 n1");
  EXPECT_TRUE(c.merged().merged);
}

TEST(Merge, NoAnchorOnTheStackLeavesTheStacksUnmerged) {
  const Case c{native_stack(2), python({run({0x10}, {"f"}), run({0x20}, {"g"})}), {}};
  EXPECT_EQ(c.shape(), "n0 n1 f:1 g:1");
  EXPECT_FALSE(c.merged().merged);
  EXPECT_NE(c.merged().note, "");
}

TEST(Merge, WithoutNativeFramesPythonsAreKept) {
  const Case c{native_stack(0), python({run({0x10}, {"f"})}), {}};
  EXPECT_EQ(c.shape(), "f:0");
  EXPECT_FALSE(c.merged().merged);
}

TEST(Merge, AMissingAnchorIsPlacedInTheOnlyEvaluationLeft) {
  const Case c{native_stack(7), python({run(inside(1), {"a"}), run({0x10}, {"b"}), run(inside(5), {"c"})}),
               [](std::size_t i) { return i % 2 == 1; }};
  EXPECT_EQ(c.shape(), "n0 a:1 n1 n2 b:3 n3 n4 c:5 n5 n6");
  EXPECT_NE(c.merged().note.find("b was placed by order"), std::string::npos);
}

TEST(Merge, AMissingAnchorWithoutNamesGoesWithTheNextOuterRun) {
  const Case c{native_stack(6), python({run(inside(1), {"a"}), run({0x10}, {"b"}), run(inside(4), {"c"})}), {}};
  EXPECT_EQ(c.shape(), "n0 a:1 n1 n2 n3 b:4 c:4 n4 n5");
  EXPECT_NE(c.merged().note, "");
}

TEST(Merge, RunsOutwardOfAWalkThatWasCutShortAreKept) {
  const Case c{native_stack(3), python({run(inside(1), {"a"}), run({0x9000}, {"b"}), run({0x9100}, {"c"})}), {}};
  EXPECT_EQ(c.shape(), "n0 a:1 n1 n2 b:2 c:2");
  EXPECT_NE(c.merged().note, "");
}

TEST(Merge, AFrameOfUnknownExtentOwnsNothing) {
  Case c{native_stack(3), python({run(inside(1), {"a"}), run(inside(2), {"b"})}), {}};
  c.native.frames[2].cfa = Address{};
  EXPECT_EQ(c.shape(), "n0 a:1 n1 n2 b:2");
  EXPECT_NE(c.merged().note, "");
}

TEST(Merge, FramesOnAnotherStackAreFoundByAddressNotByOrder) {
  Case c{native_stack(2, 0x90000), {}, {}};  // A signal handler's own stack, far above.
  for (const auto& frame : native_stack(3).frames) c.native.frames.push_back(frame);
  c.python.runs = {run(inside(1), {"f"}), run(inside(2), {"g"})};
  EXPECT_EQ(c.shape(), "n0 n1 n2 f:3 n3 g:4 n4");
}

TEST(Merge, ADisagreementWithTheEntryRuleIsNotedAndTheAddressDecides) {
  Case flags{native_stack(3), python({run(inside(1), {"f", "g"})}), {}};
  flags.python.runs[0].frames[0].entry = true;
  EXPECT_NE(flags.merged().note.find("entry flags"), std::string::npos);
  EXPECT_EQ(flags.shape(), "n0 f:1 g:1 n1 n2");

  const Case order{native_stack(4), python({run(inside(3), {"f"}), run(inside(1), {"g"})}), {}};
  EXPECT_NE(order.merged().note.find("g lies inward"), std::string::npos);
  EXPECT_EQ(order.shape(), "n0 g:1 n1 n2 f:3 n3");

  const Case shared{native_stack(3), python({run(inside(1), {"f"}), run(inside(1), {"g"})}), {}};
  EXPECT_NE(shared.merged().note.find("two runs"), std::string::npos);
  EXPECT_EQ(shared.shape(), "n0 f:1 g:1 n1 n2");

  const Case other{native_stack(3), python({run(inside(1), {"f"})}), [](std::size_t) { return false; }};
  EXPECT_NE(other.merged().note.find("no evaluation"), std::string::npos);
}

// Whatever the addresses: every frame of both stacks exactly once, each stack in its own order unless its addresses say otherwise.
TEST(Merge, DropsAndRepeatsNothingForAnyStacks) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    Case c{native_stack(random() % 12), {}, {}};
    std::size_t python_frames = 0;
    for (std::size_t i = 0, runs = random() % 6; i < runs; ++i) {
      const std::vector<std::string> names(random() % 4, "f");
      c.python.runs.push_back(run({0x6f00 + random() % 0x1000}, names));
      python_frames += names.size();
    }
    if (random() % 2) c.evaluation = [&](std::size_t i) { return i % 2 == 0; };
    const Merged merged = c.merged();
    std::vector<std::size_t> natives;
    std::set<std::pair<std::size_t, std::size_t>> pythons;
    for (const auto& entry : merged.order) {
      if (entry.what == MergedEntry::What::native)
        natives.push_back(entry.native);
      else
        pythons.emplace(entry.run, entry.frame);
    }
    std::vector<std::size_t> all(c.native.frames.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    ASSERT_EQ(natives, all);
    ASSERT_EQ(pythons.size(), python_frames);
    ASSERT_EQ(merged.order.size(), all.size() + python_frames);
  }
}

}  // namespace
}  // namespace callpath
