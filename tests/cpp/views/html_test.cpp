#include "views/html.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "explain/paths.hpp"
#include "views/html_text.hpp"

namespace callpath {
namespace {

using test::the_pow_path;

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++n;
  return n;
}

std::string before_scripts(const std::string& page) { return page.substr(0, page.find("<script>")); }

TEST(Escape, LeavesNothingThatMakesAnElementOrEndsAnAttribute) {
  EXPECT_EQ(escape("</script><b>x & \"y\" 'z'"), "&lt;/script&gt;&lt;b&gt;x &amp; &quot;y&quot; &#39;z&#39;");
  EXPECT_EQ(escape("a\x01\xff"), "a\\x01\\xff");
}

TEST(SafeLink, TakesRelativePathsOnly) {
  EXPECT_EQ(safe_link("01_contiguous.html"), "01_contiguous.html");
  EXPECT_EQ(safe_link("sub/x.html"), "sub/x.html");
  for (const char* bad : {"javascript:alert(1)", "//evil", "/etc/passwd", "a b", "a\"b", "data:x", ""})
    EXPECT_EQ(safe_link(bad), "") << bad;
}

TEST(Prose, ShowsCode) {
  EXPECT_EQ(prose("calls `pow<f>` here"), "calls <code>pow&lt;f&gt;</code> here");
  EXPECT_EQ(prose("one ` tick"), "one <code> tick</code>");
}

TEST(Breakable, BreaksBetweenNamesAndNotWithinWords) {
  EXPECT_EQ(breakable("a::b<float, x>"), "a::<wbr>b&lt;<wbr>float, x&gt;");
  EXPECT_EQ(breakable("AVX512"), "AVX512");
  EXPECT_EQ(breakable("for_each:1"), "for_each:1");
}

TEST(Page, SaysInWhichFrameAFactOfAnotherStageWasRead) {
  auto r = test::path({{Layer::kernel, "k"}, {Layer::loop, "l"}, {Layer::kernel, "outer"}});
  auto& event = r.events[0];
  event.facts.push_back({"exponent", 3, "3", "", 2, "argument exp"});
  Decision d;
  d.frame = 1, d.options = {"3"}, d.taken = "3", d.facts = {"exponent"};
  event.decisions.push_back(d);
  auto page = before_scripts(html(r, {}));
  EXPECT_EQ(count(page, ">argument exp of #2<"), 1u);  // in the loop
  EXPECT_EQ(count(page, ">argument exp<"), 1u);        // in the stage of the frame itself
}

TEST(Page, ShowsEveryStageAsDetails) {
  auto page = html(the_pow_path(), {});
  EXPECT_EQ(count(page, "<details name=\"path\""), 14u);
  for (const char* id : {"id=\"f0\"", "id=\"f1\"", "id=\"f36\"", "id=\"stub\""}) EXPECT_EQ(count(page, id), 1u) << id;
}

TEST(Page, HasEveryFrameAsATarget) {
  auto page = html(the_pow_path(), {});
  auto r = the_pow_path();
  for (const auto& f : r.events[0].frames)
    if (f.number) {
      EXPECT_EQ(count(page, "id=\"f" + std::to_string(*f.number) + "\""), 1u) << *f.number;
    }
}

TEST(Page, StandsAlone) {
  auto page = html(the_pow_path(), {});
  for (const char* outside : {"src=\"http", "href=\"http", "@import", "url(", "<link"})
    EXPECT_EQ(count(before_scripts(page), outside), 0u) << outside;
}

TEST(Page, ShowsValuesVerbatim) { EXPECT_GE(count(before_scripts(html(the_pow_path(), {})), "-1.1523602"), 3u); }

TEST(Page, ShowsHostileNamesAsText) {
  auto r = the_pow_path();
  const std::string hostile = "</script><b>x</b><img src=x onerror=alert(1)>\"' onload=\"y";
  auto& event = r.events[0];
  for (auto& f : event.frames) {
    f.name = f.full = hostile;
    if (f.source) f.source->file = "/" + hostile;
    if (f.source && f.source->excerpt)
      for (auto& line : f.source->excerpt->lines) line = hostile;
    for (auto& a : f.arguments) a.name = a.type = hostile, a.value = hostile;
    f.evidence = hostile;
    f.missing = Missing{hostile, hostile};
  }
  for (auto& o : event.operations) o.opcode = o.argrepr = hostile;
  for (auto& f : event.facts) f.name = f.text = f.unit = f.how = hostile;
  for (auto& d : event.decisions) {
    d.label = d.question = d.taken = hostile, d.options = {hostile, "x"};
    d.elsewhere = {{hostile, "javascript:alert(1)"}};
  }
  event.thread.name = event.thread.note = event.trigger.spec = event.incomplete_reason = hostile;
  event.complete = false;
  for (auto& m : r.modules) m.name = m.path = m.advice = m.debug = m.build_id = hostile;
  r.target.engine = r.target.capability = r.target.python_version = r.producer.version = hostile;
  HtmlOptions options;
  options.title = options.verdict = hostile;
  auto page = html(r, options);
  auto body = before_scripts(page);
  EXPECT_EQ(count(body, "<img"), 0u);
  EXPECT_EQ(count(body, "<b>x</b>"), 0u);
  EXPECT_EQ(count(body, "href=\"javascript"), 0u);
  EXPECT_EQ(count(body, "</script"), 0u);
  EXPECT_EQ(count(page, "<script>"), count(page, "</script>"));
  EXPECT_EQ(count(body, "\" onload="), 0u);
}

TEST(Page, ShowsNamesOfPythonAndTemplatesWhole) {
  auto r = the_pow_path();
  r.events[0].frames[24].name = "<lambda>";
  r.events[0].frames[0].full = "pow_kernel<float, 8>(a&&)";
  r.events[0].frames[13].full = "f<" + std::string(10000, 'T') + ">()";
  auto page = html(r, {});
  EXPECT_GE(count(page, "&lt;lambda&gt;"), 1u);
  EXPECT_GE(count(page, "&lt;module&gt;"), 1u);
  EXPECT_GE(count(page, "pow_kernel&lt;float, 8&gt;(a&amp;&amp;)"), 1u);
  EXPECT_EQ(count(page, std::string(10000, 'T')), 1u);  // whole, once
}

TEST(Page, ListsModulesWithoutDebugInformation) {
  auto page = html(the_pow_path(), {});
  EXPECT_EQ(count(page, "<section class=\"foot\">"), 1u);
  EXPECT_GE(count(page, "apt-get install libc6-dbg"), 1u);
}

TEST(Page, ShowsSeveralEvents) {
  auto r = the_pow_path();
  r.events.push_back(r.events[0]);
  auto page = html(r, {});
  EXPECT_EQ(count(page, "<section class=\"event\""), 2u);
  EXPECT_EQ(count(page, "href=\"#e2\""), 1u);
  EXPECT_EQ(count(page, "id=\"e2-f0\""), 1u);
  EXPECT_EQ(count(before_scripts(page), "<main"), 1u);
  EXPECT_EQ(count(before_scripts(page), "<h1"), 1u);
}

TEST(Page, IsTheSameEachTime) { EXPECT_EQ(html(the_pow_path(), {}), html(the_pow_path(), {})); }

TEST(Page, IsRefusedForARecordWithoutEvents) { EXPECT_THROW(html(Recording{}, {}), Error); }

TEST(Page, OfARecursionStaysSmall) {
  auto r = the_pow_path();
  auto& frames = r.events[0].frames;
  Frame recursion = frames[39];
  recursion.name = recursion.full = "r";
  frames.insert(frames.begin() + 39, 4998, recursion);
  for (auto& d : r.events[0].decisions) d.frame = 0;
  for (auto& f : r.events[0].facts) f.frame = 0;
  auto page = html(r, {});
  EXPECT_LT(page.size(), 300000u);
  EXPECT_GE(count(page, "× 4,998"), 1u);
}

}  // namespace
}  // namespace callpath
