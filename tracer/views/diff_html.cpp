#include "views/diff_html.hpp"

#include <fmt/format.h>

#include "explain/text.hpp"
#include "views/fork.hpp"
#include "views/html_detail.hpp"
#include "views/html_section.hpp"
#include "views/html_shell.hpp"
#include "views/html_text.hpp"

namespace callpath {
namespace {

using fmt::format;

class Page {
 public:
  Page(const Story& a, const Story& b, const HtmlOptions& options, DiffNames names)
      : a_(a), b_(b), zh_(a.language == "zh"), names_(std::move(names)), fork_(fork_of(a, b)) {
    differing_a_ = differing_facts(*a.event, *b.event), differing_b_ = differing_facts(*b.event, *a.event);
    options_a_ = options_b_ = options;
    options_a_.differing = &differing_a_, options_b_.differing = &differing_b_;
  }

  std::string text() const {
    auto out = html_head(*a_.recording, a_.words(), names_.a + " · " + names_.b, "diff");
    out += format("<section class=\"event\">\n{}<main>\n<div class=\"rows\">\n<div class=\"tower\">\n", header());
    out += fork_.differences.empty() ? equal() : parted();
    return out + "</div>\n" + notes() + "</div>\n</main>\n</section>\n" + html_foot();
  }

 private:
  std::string side(const char* letter, const std::string& name, const Story& story) const {
    auto out = format("<div class=\"side\"><h2><b>{}</b> {}</h2>", letter, escape(name));
    if (story.from) out += html_end(*story.from, "from", story.words().from, "python");
    if (story.to) out += html_end(*story.to, "to", story.words().to, to_string(story.rows.front().stage.tone));
    return out + format("<p class=\"sum\">{}</p></div>\n", html_totals(story, ""));
  }

  std::string header() const {
    auto title = fork_.differences.empty() ? the_same() : parting_question(fork_, a_.language);
    return format("<header class=\"pair\">\n<h1 class=\"vh\">{}</h1>\n{}{}{}</header>\n", escape(title), side("A", names_.a, a_),
                  side("B", names_.b, b_), html_tools(a_.words()));
  }

  std::string the_same() const {
    auto n = a_.rows.size();
    return zh_ ? format("两边是同样的 {} 段。", n) : format("The same {} stage{} on both sides.", n, n == 1 ? "" : "s");
  }

  static std::string classes(const Story& story, std::size_t at, bool joins_above, bool goes_on) {
    const auto& stage = story.rows[at].stage;
    std::string out = to_string(stage.tone);
    if (stage.folded) out += " fold";
    if (stage.elided) out += " ghost";
    if (goes_on && at > 0 && story.rows[at - 1].stage.elided) out += " before-ghost";
    if (goes_on && at > 0 && story.rows[at - 1].stage.world != stage.world) out += " leaves";
    if (stage.innermost) out += " hit";
    return out + (joins_above ? "" : " first");
  }

  // `open`: the rows at which the two part are open, so that their details stand side by side.
  std::string row(const Story& story, std::size_t at, const HtmlOptions& options, const std::string& prefix, bool open, bool joins_above,
                  bool goes_on) const {
    const auto& row = story.rows[at];
    const auto* above = at + 1 < story.rows.size() && joins_above ? &story.rows[at + 1] : nullptr;
    auto name = row.stage.lowest ? format("f{}", *row.stage.lowest) : to_string(row.stage.layer);
    return format("<details id=\"{}{}\" class=\"{}\" style=\"--l:{}\"{}>\n{}\n<div class=\"detail\">{}</div>\n</details>\n", prefix, name,
                  classes(story, at, joins_above, goes_on), static_cast<int>(row.stage.world), open ? " open" : "",
                  html_summary(story, row, above), html_detail(story, row, options, prefix));
  }

  std::string trunk(const std::string& title, std::size_t from, std::size_t to, bool first, bool open = false) const {
    auto tone = to_string(a_.rows[from].stage.tone);
    int lane = static_cast<int>(a_.rows[to].stage.world);
    std::string list;
    for (std::size_t i = from + 1; i-- > to;)
      list += format("<li class=\"{}\"><span>{}</span><b>{}</b><span>{}</span></li>", to_string(a_.rows[i].stage.tone),
                     to_string(a_.rows[i].stage.layer), escape(shorten_middle(a_.rows[i].name, 60)), escape(a_.rows[i].place));
    return format(
        "<details class=\"fold trunk {}{}\" style=\"--l:{}\"{}><summary><span class=\"g\" aria-hidden=\"true\"><i></i></span><span "
        "class=\"fn\">▸ {}</span></summary><div class=\"detail\"><ul class=\"frames "
        "m\">{}</ul></div></details>\n",
        tone, first ? " first" : "", lane, open ? " open" : "", escape(title), list);
  }

  std::string equal() const {
    return format("<p class=\"verdict\">{}</p>\n", escape(the_same())) +
           trunk(same_stages(a_.rows.size(), a_.language), a_.rows.size() - 1, 0, true, true);
  }

  std::string parting(int lane) const {
    auto facts = [&](const char* letter, std::string text) {
      if (auto at = text.find("  "); at != std::string::npos) text.replace(at, 2, " → ");
      return text.empty() ? "" : format("<p><b>{}</b> <span class=\"m\">{}</span></p>", letter, escape(text));
    };
    return format("<div class=\"parting\" style=\"--l:{}\"><h2>{}</h2>{}{}</div>\n", lane, escape(parting_question(fork_, a_.language)),
                  facts("A", fork_.facts_a), facts("B", fork_.facts_b));
  }

  std::string branch(const char* letter, const Story& story, const HtmlOptions& options, const std::string& prefix) const {
    auto out = format("<section class=\"branch {}\" aria-label=\"{}\">\n", prefix.substr(0, 1), letter);
    const auto end = story.rows.size() - fork_.trunk;
    if (end <= fork_.rejoined) out += format("<p class=\"none\">{}</p>\n", zh_ ? "这一边没有更多的段。" : "No further stage on this side.");
    for (std::size_t i = end; i-- > fork_.rejoined;)
      out += row(story, i, options, prefix, i + 1 == end, fork_.trunk > 0 || i + 1 < end, i > fork_.rejoined);
    return out + "</section>\n";
  }

  std::string parted() const {
    const auto na = a_.rows.size();
    std::string out;
    if (fork_.trunk > 1) out += trunk(same_stages(fork_.trunk - 1, a_.language), na - 1, na - fork_.trunk + 1, true);
    if (fork_.trunk > 0) out += row(a_, na - fork_.trunk, options_a_, "", false, fork_.trunk > 1, false);
    out += parting(fork_.trunk > 0 ? static_cast<int>(a_.rows[na - fork_.trunk].stage.world) : 0);
    out += "<div class=\"branches\">\n" + branch("A", a_, options_a_, "a-") + branch("B", b_, options_b_, "b-") + "</div>\n";
    if (fork_.rejoined > 0) out += trunk(same_stages(fork_.rejoined, a_.language), fork_.rejoined - 1, 0, false);
    return out;
  }

  static std::string list(const std::string& title, const std::vector<std::string>& items) {
    std::string out;
    for (const auto& item : items) {
      auto text = escape(item);
      for (std::size_t at; (at = text.find("\\x0a")) != std::string::npos;) text.replace(at, 4, "<br>");
      out += "<li>" + text + "</li>";
    }
    return out.empty() ? "" : format("<h3>{}</h3><ul class=\"m\">{}</ul>", title, out);
  }

  std::string notes() const {
    std::vector<std::string> frames, values;
    for (const auto& d : fork_.differences) frames.push_back(in_words(d, a_, b_));
    for (const auto& v : compare_values(*a_.event, *b_.event)) values.push_back(in_language(v, a_.language));
    auto text =
        list(zh_ ? "逐帧来看" : "Frame by frame", frames) + list(zh_ ? "不同的值" : "Values that differ, or that one side has", values);
    return text.empty() ? "" : "<section class=\"foot\">" + text + "</section>\n";
  }

  const Story &a_, &b_;
  bool zh_;
  DiffNames names_;
  Fork fork_;
  std::set<const Fact*> differing_a_, differing_b_;
  HtmlOptions options_a_, options_b_;
};

}  // namespace

std::string diff_html(const Recording& a, std::size_t event_a, const Recording& b, std::size_t event_b, const HtmlOptions& options,
                      DiffNames names) {
  const auto& notes = options.notes ? *options.notes : Notes::built_in();
  auto left = story_of(a, event_a, options.language, notes), right = story_of(b, event_b, options.language, notes);
  if (names.a.empty()) names.a = a.producer.route;
  if (names.b.empty()) names.b = b.producer.route;
  return Page(left, right, options, std::move(names)).text();
}

}  // namespace callpath
