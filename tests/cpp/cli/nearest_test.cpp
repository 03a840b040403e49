#include "cli/nearest.hpp"

#include <gtest/gtest.h>

using callpath::cli::nearest_word;

namespace {

const std::vector<std::string> commands{"walk", "run", "report", "python", "doctor", "test", "bench"};

TEST(NearestWord, FindsSwappedLetters) { EXPECT_EQ(nearest_word("wlak", commands), "walk"); }
TEST(NearestWord, FindsMissingLetter) { EXPECT_EQ(nearest_word("docto", commands), "doctor"); }
TEST(NearestWord, FindsExtraLetter) { EXPECT_EQ(nearest_word("reeport", commands), "report"); }
TEST(NearestWord, FindsReplacedLetter) { EXPECT_EQ(nearest_word("tesk", commands), "test"); }
TEST(NearestWord, SaysNothingForAnotherWord) { EXPECT_EQ(nearest_word("frobnicate", commands), ""); }
TEST(NearestWord, SaysNothingWithoutCandidates) { EXPECT_EQ(nearest_word("walk", {}), ""); }
TEST(NearestWord, PrefersTheNearer) { EXPECT_EQ(nearest_word("rum", {"sum-up", "run", "ruin"}), "run"); }

}  // namespace
