#include "cli/walkthrough.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "core/error.hpp"

namespace {

using namespace callpath::cli;
namespace fs = std::filesystem;

std::string error_of(const auto& action) {
  try {
    action();
  } catch (const callpath::Error& error) {
    return std::string(error.what()) + "\n" + error.mend();
  }
  return "no error";
}

fs::path folder_with(const std::string& toml) {
  char name[] = "/tmp/callpath-walk-test.XXXXXX";
  const fs::path folder = mkdtemp(name);
  fs::create_directory(folder / "01_x");
  std::ofstream(folder / "01_x" / "walk.toml") << toml;
  return folder;
}

/// The line of the first walkthrough.
OwnLine own(const std::string& prefix = {}) {
  auto line = find_walkthrough(read_walkthroughs(WALKTHROUGHS_FOLDER), "01").line;
  if (!prefix.empty()) line.prefix = prefix;
  return line;
}

TEST(LineFor, ExpressionGetsThePrefix) { EXPECT_EQ(line_for(" X[:, 1]**2.5 ", own("y = ")), "y = X[:, 1]**2.5"); }
TEST(LineFor, AssignmentStays) { EXPECT_EQ(line_for("z = X**3", own("y = ")), "z = X**3"); }
TEST(LineFor, ComparisonIsNoAssignment) { EXPECT_EQ(line_for("X == X**3", own("y = ")), "y = X == X**3"); }
TEST(LineFor, KeywordArgumentIsNoAssignment) { EXPECT_EQ(line_for("X.pow(exponent=3)", own("y = ")), "y = X.pow(exponent=3)"); }
TEST(LineFor, TwoLinesAreRefused) { EXPECT_THROW(line_for("a\nb", own("y = ")), callpath::Error); }
TEST(LineFor, NothingIsRefused) { EXPECT_THROW(line_for("  ", own("y = ")), callpath::Error); }

TEST(ConditionFor, TakesTheLastPower) { EXPECT_EQ(condition_for("X[:, 0]**2 + X[:, 1]**3", own()), "exp == 3"); }
TEST(ConditionFor, TakesFractionsSignsAndExponents) {
  EXPECT_EQ(condition_for("X**2.5", own()), "exp == 2.5");
  EXPECT_EQ(condition_for("X ** -2", own()), "exp == -2");
  EXPECT_EQ(condition_for("X**(.5)", own()), "exp == .5");
  EXPECT_EQ(condition_for("X**1e2", own()), "exp == 1e2");
}
TEST(ConditionFor, NothingWithoutANumber) {
  EXPECT_EQ(condition_for("X + X", own()), "");
  EXPECT_EQ(condition_for("X**n", own()), "");
  EXPECT_EQ(condition_for("X**2n", own()), "");
}

TEST(Walkthroughs, TheFirstIsThere) {
  const auto all = read_walkthroughs(WALKTHROUGHS_FOLDER);
  const auto& walk = find_walkthrough(all, "01");
  EXPECT_EQ(walk.title.en, "The line to the lambda");
  EXPECT_EQ(walk.setting.stop.condition, "exp == 3");
  EXPECT_EQ(walk.line.number, 11);
  EXPECT_TRUE(fs::exists(walk.setting.program));
  EXPECT_EQ(&find_walkthrough(all, "1"), &walk);
  EXPECT_EQ(&find_walkthrough(all, "01_pow_kernel"), &walk);
}

TEST(Walkthroughs, AnUnknownOneNamesThoseThereAre) {
  const auto all = read_walkthroughs(WALKTHROUGHS_FOLDER);
  const auto text = error_of([&] { find_walkthrough(all, "99"); });
  EXPECT_NE(text.find("'99'"), std::string::npos) << text;
  EXPECT_NE(text.find("01 (The line to the lambda)"), std::string::npos) << text;
}

TEST(Walkthroughs, AnUnknownVariantNamesTheNearest) {
  const auto all = read_walkthroughs(WALKTHROUGHS_FOLDER);
  const auto text = error_of([&] { find_variant(find_walkthrough(all, "01"), "contigous"); });
  EXPECT_NE(text.find("'contiguous'"), std::string::npos) << text;
}

TEST(Walkthroughs, AMissingMemberIsNamedWithItsFile) {
  const auto folder = folder_with("number = \"01\"\n");
  const auto text = error_of([&] { read_walkthroughs(folder); });
  EXPECT_NE(text.find("walk.toml"), std::string::npos) << text;
  EXPECT_NE(text.find("'title'"), std::string::npos) << text;
  fs::remove_all(folder);
}

TEST(Walkthroughs, WhatIsNotTomlIsNamedWithItsLine) {
  const auto folder = folder_with("number = \"01\"\ntitle = \n");
  const auto text = error_of([&] { read_walkthroughs(folder); });
  EXPECT_NE(text.find("walk.toml:2"), std::string::npos) << text;
  fs::remove_all(folder);
}

TEST(Walkthroughs, AFolderThatIsNotThereIsAnError) { EXPECT_THROW(read_walkthroughs("/nowhere/at/all"), callpath::Error); }

}  // namespace
