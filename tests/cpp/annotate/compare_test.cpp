#include "annotate/compare.hpp"

#include <gtest/gtest.h>

#include "annotate/cpp_name.hpp"
#include "annotate/parts.hpp"

namespace callpath {
namespace {

Recording pow_kernel() { return load(CALLPATH_TEST_DATA "/records/pow_kernel.json"); }

// The hand-made record and one stop recorded by each route.
std::vector<Recording> all_records() {
  return {pow_kernel(), load(CALLPATH_TEST_DATA "/records/pow_kernel_process.json"),
          load(CALLPATH_TEST_DATA "/records/pow_kernel_gdb.json")};
}

std::vector<Difference> compare(const Recording& a, const Recording& b) { return compare_paths(a.events[0], a, b.events[0], b); }

// Frames that a comparison must see: from the innermost to the user's Python frame, and physical startup frames.
std::vector<std::size_t> seen(const Recording& recording) { return compared_frames(recording.events[0]); }

// Another name for the function itself, not for what its parameters or template arguments mention.
std::string renamed(std::string full) {
  const std::string plain = plain_name(full), last = plain.substr(plain.rfind(':') + 1);
  for (const char* const after : {"<", "(", ""})
    if (const std::size_t at = full.rfind(last + after); at != std::string::npos) return full.insert(at, "x");
  return "<other>";
}

TEST(Compare, BothRoutesTellTheSamePathOfOneStop) {
  const auto records = all_records();
  const auto differences = compare(records[1], records[2]);
  EXPECT_TRUE(differences.empty()) << differences[0].text;
  EXPECT_GT(seen(records[1]).size(), 40u);
  EXPECT_EQ(seen(records[1]).size(), seen(records[2]).size());
  EXPECT_FALSE(compare(records[0], records[1]).empty()) << "the hand-made path is another";
}

TEST(Compare, ARecordEqualsItself) {
  EXPECT_TRUE(compare(pow_kernel(), pow_kernel()).empty());
  EXPECT_GT(seen(pow_kernel()).size(), 40u);
}

TEST(Compare, TheUsersScriptMayLieInAFolderOfAnyNameButNotBeAnother) {
  const Recording whole = pow_kernel();
  const std::size_t user = *innermost_user_frame(whole.events[0]);
  Recording moved = whole, other = whole;
  moved.events[0].frames[user].source->file = "/tmp/copy/learn1.py";
  other.events[0].frames[user].source->file = "/tmp/copy/learn2.py";
  EXPECT_TRUE(compare(whole, moved).empty());
  EXPECT_EQ(compare(whole, other).size(), 1u);
}

TEST(Compare, EveryFrameButInlinedStartupAndTheInterpretersRunOfTheUsersLineIsSeen) {
  const Recording recording = pow_kernel();
  const auto indices = seen(recording);
  for (std::size_t i = 0; i < recording.events[0].frames.size(); ++i) {
    const Frame& frame = recording.events[0].frames[i];
    const bool counts = i <= *innermost_user_frame(recording.events[0]) || (frame.layer == Layer::startup && frame.kind == Kind::native);
    EXPECT_EQ(std::find(indices.begin(), indices.end(), i) != indices.end(), counts) << frame.name;
  }
}

TEST(Compare, DroppingAnyFrameIsFound) {
  for (const Recording& whole : all_records()) {
    for (const std::size_t i : seen(whole)) {
      Recording changed = whole;
      changed.events[0].frames.erase(changed.events[0].frames.begin() + static_cast<std::ptrdiff_t>(i));
      // Without the user's own frame the path has another end, so that more than one difference follows.
      EXPECT_GE(compare(whole, changed).size(), 1u) << i;
      if (i != *innermost_user_frame(whole.events[0])) {
        ASSERT_EQ(compare(whole, changed).size(), 1u) << i;
        EXPECT_EQ(compare(whole, changed)[0].what, Difference::What::only_a);
        EXPECT_EQ(compare(whole, changed)[0].a, i);
      }
    }
  }
}

TEST(Compare, SwappingAnyTwoNeighboursIsFound) {
  for (const Recording& whole : all_records()) {
    const auto indices = seen(whole);
    for (std::size_t k = 0; k + 1 < indices.size(); ++k) {
      if (indices[k + 1] != indices[k] + 1) continue;
      Recording changed = whole;
      std::swap(changed.events[0].frames[indices[k]], changed.events[0].frames[indices[k + 1]]);
      EXPECT_FALSE(compare(whole, changed).empty()) << indices[k];
    }
  }
}

TEST(Compare, RenamingAnyFrameIsFound) {
  for (const Recording& whole : all_records()) {
    for (const std::size_t i : seen(whole)) {
      Recording changed = whole;
      std::string& full = changed.events[0].frames[i].full;
      full = renamed(full);
      ASSERT_FALSE(compare(whole, changed).empty()) << full;
      EXPECT_EQ(compare(whole, changed)[0].what, Difference::What::changed);
      EXPECT_EQ(compare(whole, changed)[0].a, i);
    }
  }
}

TEST(Compare, AnotherKindLayerModuleFileOrLineOfAnyFrameIsFound) {
  const Recording whole = pow_kernel();
  const auto check = [&](auto change, bool startup_too) {
    for (const std::size_t i : seen(whole)) {
      Recording changed = whole;
      Frame& frame = changed.events[0].frames[i];
      if (!startup_too && frame.layer == Layer::startup) continue;
      if (!change(frame)) continue;
      EXPECT_FALSE(compare(whole, changed).empty()) << frame.full;
    }
  };
  check([](Frame& f) { return f.layer = f.layer == Layer::glue ? Layer::loop : Layer::glue, true; }, true);
  check([](Frame& f) { return f.kind == Kind::python ? false : (f.kind = f.kind == Kind::inlined ? Kind::native : Kind::inlined, true); },
        true);
  check([](Frame& f) { return f.module ? (f.module = *f.module == 3 ? 1 : 3, true) : false; }, false);
  check([](Frame& f) { return f.source ? (f.source->file += "x", true) : false; }, false);
  check([](Frame& f) { return f.source && f.source->line ? (++*f.source->line, true) : false; }, false);
}

TEST(Compare, WhatTheRoutesSpellDifferentlyIsTheSame) {
  const Recording a = pow_kernel();
  Recording b = a;
  for (auto& frame : b.events[0].frames) {
    frame.pc.reset(), frame.offset.reset(), frame.number.reset(), frame.arguments.clear(), frame.locals.clear();
    frame.confidence = Confidence::symbol;
    frame.evidence = "another";
    if (frame.source) frame.source->excerpt.reset();
    if (frame.source && frame.source->file.rfind("../", 0) == 0)
      frame.source->file = "/usr/src/python3.11/build/../" + frame.source->file.substr(3);
    for (std::size_t at; (at = frame.full.find("#3}")) != std::string::npos;) frame.full.replace(at, 3, "#2}");
    if (frame.full.rfind("void ", 0) == 0) frame.full.erase(0, 5);
    if (frame.full == "slot_nb_power") frame.full = "slot_nb_power.lto_priv.0";
  }
  b.events[0].frames[0].full.erase(b.events[0].frames[0].full.rfind("(float) const"));
  EXPECT_TRUE(compare(a, b).empty()) << compare(a, b)[0].text;
  EXPECT_TRUE(compare(b, a).empty());
}

TEST(Compare, StartupIsComparedByPhysicalFunctionOnly) {
  const Recording a = pow_kernel();
  Recording b = a;
  for (auto& frame : b.events[0].frames)
    if (frame.layer == Layer::startup) frame.source.reset(), frame.module = 1;
  std::erase_if(b.events[0].frames, [](const Frame& f) { return f.layer == Layer::startup && f.kind == Kind::inlined; });
  EXPECT_TRUE(compare(a, b).empty());
}

TEST(Compare, SaysWhereThePathsPart) {
  const Recording a = pow_kernel();
  Recording b = a;
  b.events[0].frames[6].source->line = 171;
  b.events[0].frames.insert(b.events[0].frames.begin() + 12, b.events[0].frames[1]);
  const auto differences = compare(a, b);
  ASSERT_EQ(differences.size(), 2u);
  EXPECT_EQ(differences[0].a, 6u);
  EXPECT_NE(differences[0].text.find("cpu/Loops.h:118 against cpu/Loops.h:171"), std::string::npos) << differences[0].text;
  EXPECT_EQ(differences[1].what, Difference::What::only_b);
  EXPECT_EQ(differences[1].b, 12u);
}

TEST(Compare, ValuesAreNotesNotDifferences) {
  const Recording a = pow_kernel();
  Recording b = a;
  b.events[0].facts.clear();
  b.events[0].frames[0].arguments[1].value = "2";
  EXPECT_TRUE(compare(a, b).empty());
  const auto notes = compare_values(a.events[0], b.events[0]);
  EXPECT_NE(std::find(notes.begin(), notes.end(), "exponent: 3 only on the first side"), notes.end());
  EXPECT_NE(std::find(notes.begin(), notes.end(), "argument base: -1.1523602 against 2"), notes.end());
  EXPECT_TRUE(compare_values(a.events[0], a.events[0]).empty());
}

TEST(Compare, DeepRecursionThatDiffersInDepthIsAligned) {
  Recording a = pow_kernel();
  Frame& user = a.events[0].frames[*innermost_user_frame(a.events[0])];
  std::vector<Frame> deep(2'000, user);
  a.events[0].frames.insert(a.events[0].frames.begin() + 20, deep.begin(), deep.end());
  Recording b = a;
  b.events[0].frames.erase(b.events[0].frames.begin() + 1'000);
  b.events[0].frames[0].full += "x";
  EXPECT_EQ(compare(a, b).size(), 1u) << "the innermost user frame ends the path: only frame 0 differs before it";
}

// A function of a stripped library: its name is known, its lines are not.
Recording without_lines(Layer layer, std::uint64_t offset) {
  Recording recording;
  recording.modules.push_back({"libtorch_cpu.so", "/usr/lib/libtorch_cpu.so", "a1b2", "dynamic", "", ""});
  Event event;
  Frame frame;
  frame.layer = layer;
  frame.name = frame.full = "at::native::AVX512::pow_tensor_scalar_kernel";
  frame.module = 0;
  frame.offset = offset;
  frame.number = 0;
  event.frames.push_back(frame);
  recording.events.push_back(event);
  return recording;
}

TEST(Compare, WhereNamesAgreeAndNoLineIsKnownTheInstructionTells) {
  EXPECT_TRUE(compare(without_lines(Layer::kernel, 0x1000), without_lines(Layer::kernel, 0x1000)).empty());
  const auto differences = compare(without_lines(Layer::kernel, 0x1000), without_lines(Layer::kernel, 0x1040));
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].text, "instruction: libtorch_cpu.so+0x1000 against libtorch_cpu.so+0x1040");
}

TEST(Compare, InstructionsOfTwoBuildsSayNothing) {
  auto other = without_lines(Layer::kernel, 0x1040);
  other.modules[0].build_id = "c3d4";
  EXPECT_TRUE(compare(without_lines(Layer::kernel, 0x1000), other).empty());
  auto nameless = without_lines(Layer::kernel, 0x1040);
  nameless.modules[0].build_id.clear();
  EXPECT_TRUE(compare(without_lines(Layer::kernel, 0x1000), nameless).empty());
}

TEST(Compare, TheInterpretersMachineryIsNotToldByItsInstructions) {
  EXPECT_TRUE(compare(without_lines(Layer::protocol, 0x1000), without_lines(Layer::protocol, 0x1040)).empty());
}

TEST(Compare, WithALineTheInstructionDoesNotCount) {
  auto a = without_lines(Layer::kernel, 0x1000), b = without_lines(Layer::kernel, 0x1040);
  for (auto* recording : {&a, &b}) recording->events[0].frames[0].source = Source{"Pow.cpp", 7, {}};
  EXPECT_TRUE(compare(a, b).empty());
}

}  // namespace
}  // namespace callpath
