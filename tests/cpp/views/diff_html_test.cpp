#include "views/diff_html.hpp"

#include <gtest/gtest.h>

#include <regex>

#include "core/error.hpp"
#include "explain/paths.hpp"
#include "views/fork.hpp"

namespace callpath {
namespace {

using test::the_pow_path;

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

std::string body(const std::string& page) { return page.substr(page.find("<body"), page.find("<script>") - page.find("<body")); }

// What exponent 2.5 gives: another branch of the kernel, and another number in the binding.
Recording general() {
  auto r = the_pow_path();
  auto& event = r.events[0];
  for (auto& f : event.frames)
    if (f.layer == Layer::kernel && f.source) f.source->line = *f.source->line + 40;
  for (auto& f : event.facts)
    if (f.name == "exponent") f.value = 2.5, f.text = "2.5";
  for (auto& d : event.decisions) {
    if (d.id == "kernel.exponent") d.taken = "other";
    if (d.id == "binding.arguments") d.taken = "Tensor, Scalar 2.5", d.options = {d.taken};
  }
  return r;
}

std::string page(const Recording& a, const Recording& b, const std::string& language = "en") {
  HtmlOptions options;
  options.language = language;
  return body(diff_html(a, 0, b, 0, options, {"first", "second"}));
}

TEST(DiffPage, OfEqualPathsSaysSo) {
  auto text = page(the_pow_path(), the_pow_path());
  EXPECT_GE(count(text, "The same 14 stages on both sides."), 1u);
  EXPECT_EQ(count(text, "class=\"branches\""), 0u);
  EXPECT_EQ(count(text, "Frame by frame"), 0u);
}

TEST(DiffPage, HasOneTrunkAndTwoBranches) {
  auto text = page(the_pow_path(), general());
  EXPECT_EQ(count(text, "10 stages, the same on both sides"), 1u);
  EXPECT_EQ(count(text, "<section class=\"branch"), 2u);
  EXPECT_EQ(count(text, "<h1"), 1u);
  auto a = text.find("<section class=\"branch a\""), b = text.find("<section class=\"branch b\""), parting = text.find("class=\"parting\"");
  EXPECT_LT(text.find("id=\"stub\""), parting);
  EXPECT_LT(parting, a);
  EXPECT_LT(a, b);
}

TEST(DiffPage, PartsAtTheDecisionThatWasMadeThereNotAtOneFartherOut) {
  auto text = page(the_pow_path(), general());
  EXPECT_GE(count(text, "They part here: which exponents have a branch of their own?"), 1u);
  EXPECT_EQ(count(text, "They part here: what did the Python arguments become?"), 0u);
}

TEST(DiffPage, MarksTheFactsThatDiffer) {
  auto text = page(the_pow_path(), general());
  std::smatch row;
  ASSERT_TRUE(std::regex_search(text, row, std::regex("<tr class=\"differs\"><th scope=\"row\">exponent</th><td class=\"m\">2\\.5<")));
  EXPECT_EQ(count(text, "<tr class=\"differs\"><th scope=\"row\">capability"), 0u);
}

TEST(DiffPage, IdsAreDistinct) {
  auto text = page(the_pow_path(), general());
  std::set<std::string> seen;
  std::regex id("\\sid=\"([^\"]+)\"");
  for (std::sregex_iterator at(text.begin(), text.end(), id), end; at != end; ++at) EXPECT_TRUE(seen.insert((*at)[1]).second) << (*at)[1];
}

TEST(DiffPage, EscapesWhatRecordsSay) {
  auto r = general();
  for (auto& f : r.events[0].frames) f.name = f.full = "</script><b>x</b>";
  EXPECT_EQ(count(page(the_pow_path(), r), "<b>x</b>"), 0u);
}

TEST(DiffPage, SpeaksChinese) {
  auto text = page(the_pow_path(), general(), "zh");
  EXPECT_GE(count(text, "从这里分开：哪些指数有自己的分支？"), 1u);
  EXPECT_GE(count(text, "10 段，两边相同"), 1u);
}

TEST(DiffPage, SaysThatThereIsNoSuchEvent) { EXPECT_THROW(diff_html(the_pow_path(), 0, the_pow_path(), 3, {}, {}), Error); }

}  // namespace
}  // namespace callpath
