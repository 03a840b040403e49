#include "explain/phrases.hpp"

#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <regex>

#include "explain/paths.hpp"

namespace callpath {
namespace {

bool has_chinese(const std::string& text) {
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    if (byte(i) >= 0xe4 && byte(i) <= 0xe9) return true;
  }
  return false;
}

// The table itself, not what the program made of it.
toml::table decisions() { return toml::parse_file(CALLPATH_DATA "/decisions.toml"); }

TEST(Phrases, KnowEveryQuestionAndLabelOfTheDecisions) {
  auto table = decisions();
  int questions = 0;
  for (const auto& node : *table["decision"].as_array()) {
    const auto& rule = *node.as_table();
    auto question = std::regex_replace(rule["question"].value_or(std::string()), std::regex("\\{[^}]*\\}"), "4");
    EXPECT_TRUE(has_chinese(in_language(question, "zh"))) << question;
    auto label = rule["label"].value_or(std::string());
    if (!label.empty()) EXPECT_TRUE(has_chinese(in_language(label, "zh"))) << label;
    ++questions;
  }
  EXPECT_GE(questions, 11);
}

TEST(Phrases, KnowHowEveryFactOfARealRecordWasRead) {
  for (const char* name : {"/records/pow_kernel_process.json", "/records/pow_kernel_gdb.json", "/records/pow_kernel.json"}) {
    auto r = load(std::string(CALLPATH_TEST_DATA) + name);
    for (const auto& fact : r.events[0].facts) {
      EXPECT_TRUE(has_chinese(in_language(fact.how, "zh"))) << fact.how;
      if (!fact.unit.empty()) EXPECT_TRUE(has_chinese(in_language(fact.unit, "zh"))) << fact.unit;
    }
    for (const auto& f : r.events[0].frames) {
      if (!f.evidence.empty()) EXPECT_TRUE(has_chinese(in_language(f.evidence, "zh"))) << f.evidence;
      for (const auto& v : f.arguments)
        if (v.reason) EXPECT_TRUE(has_chinese(in_language(*v.reason, "zh"))) << *v.reason;
    }
  }
}

TEST(Phrases, KeepNamesAndValues) {
  EXPECT_EQ(in_language("argument strides, member impl_.x", "zh"), "参数 strides 的成员 impl_.x");
  EXPECT_EQ(in_language("Is every stride equal to the element size, 4?", "zh"), "每个步长都等于元素的大小 4 吗？");
}

TEST(Phrases, LeaveEnglishAndTheUnknownAsTheyAre) {
  EXPECT_EQ(in_language("argument x", "en"), "argument x");
  EXPECT_EQ(in_language("something nobody said", "zh"), "something nobody said");
  std::string longer(100000, 'x');
  EXPECT_EQ(in_language(longer, "zh"), longer);
}

}  // namespace
}  // namespace callpath
