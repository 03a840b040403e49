#include "session/condition.hpp"

#include <gtest/gtest.h>

#include <map>

#include "core/error.hpp"

namespace callpath::session {
namespace {

using Answer = Condition::Answer;

/// Variables as Values would give them.
std::optional<Evaluated> variables(const std::string& path, std::string* why_not) {
  static const std::map<std::string, nlohmann::json> known = {{"exp", 3.0},   {"n", 10000},     {"deep.member[1]", 8},
                                                              {"flag", true}, {"name", "relu"}, {"pointer", nullptr}};
  auto found = known.find(path);
  if (found == known.end()) {
    if (why_not) *why_not = "no such variable";
    return std::nullopt;
  }
  return Evaluated{"", found->second.is_string() ? found->second.get<std::string>() : found->second.dump(), found->second, "", {}};
}

Answer ask(const std::string& text, std::string* why_not = nullptr) { return Condition::parse(text).holds(variables, why_not); }

TEST(Condition, Compares) {
  EXPECT_EQ(ask("exp == 3"), Answer::yes);
  EXPECT_EQ(ask("exp == 2"), Answer::no);
  EXPECT_EQ(ask("exp==3.0"), Answer::yes);
  EXPECT_EQ(ask("exp != 3"), Answer::no);
  EXPECT_EQ(ask("n >= 10000"), Answer::yes);
  EXPECT_EQ(ask("n > 1e4"), Answer::no);
  EXPECT_EQ(ask("n < 0x7fff"), Answer::yes);
  EXPECT_EQ(ask("exp > -1.5"), Answer::yes);
  EXPECT_EQ(ask("deep.member[1] <= 8"), Answer::yes);
  EXPECT_EQ(ask("deep->member[1] == 8"), Answer::yes);
  EXPECT_EQ(ask("flag == true"), Answer::yes);
  EXPECT_EQ(ask("flag == false"), Answer::no);
  EXPECT_EQ(ask("name == 'relu'"), Answer::yes);
  EXPECT_EQ(ask("name == \"gelu\""), Answer::no);
}

TEST(Condition, RefusesWhatIsNoPathBeforeTheProgramStarts) {
  for (const char* text : {"exp. == 3", "exp..x == 3", "exp[ == 3", "exp[x] == 3", "exp:x == 3", "a[*2].b == 1"})
    EXPECT_THROW(ask(text), Error) << text;
}

TEST(Condition, JoinsAndBindsCloserThanOr) {
  EXPECT_EQ(ask("exp == 2 && n == 1 || flag == true"), Answer::yes);
  EXPECT_EQ(ask("flag == true || exp == 2 && n == 1"), Answer::yes);
  EXPECT_EQ(ask("exp == 3 && n == 1"), Answer::no);
}

TEST(Condition, AbsentVariablesAreUnknownUnlessTheRestDecides) {
  std::string why;
  EXPECT_EQ(ask("gone == 1", &why), Answer::unknown);
  EXPECT_EQ(why, "gone: no such variable");
  EXPECT_EQ(ask("gone == 1 && exp == 2"), Answer::no);
  EXPECT_EQ(ask("gone == 1 || exp == 3"), Answer::yes);
  EXPECT_EQ(ask("pointer == 1"), Answer::unknown);
}

TEST(Condition, TheEmptyOneAlwaysHolds) {
  EXPECT_EQ(ask(""), Answer::yes);
  EXPECT_EQ(ask("  "), Answer::yes);
}

TEST(Condition, ErrorsNameThePlace) {
  for (auto [text, place] : std::map<std::string, std::string>{{"exp", "character 4"},
                                                               {"exp = 3", "character 5"},
                                                               {"exp ==", "character 7"},
                                                               {"== 3", "character 1"},
                                                               {"exp == 3 &&", "character 12"},
                                                               {"exp == 3 n", "character 10"},
                                                               {"exp == inf", "character 8"},
                                                               {"name == 'relu", "character 9"}}) {
    try {
      Condition::parse(text);
      ADD_FAILURE() << text << " was accepted";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(place), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace callpath::session
