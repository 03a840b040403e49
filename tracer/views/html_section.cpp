#include "views/html_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "explain/names.hpp"
#include "explain/text.hpp"
#include "views/html_detail.hpp"
#include "views/html_modules.hpp"
#include "views/html_quiz.hpp"
#include "views/html_text.hpp"

namespace callpath {
namespace {

using fmt::format;

std::string code_with_marks(const End& end) {
  std::string out;
  std::size_t at = 0;
  for (const auto& mark : end.marks) {
    out += escape(end.code.substr(at, mark.begin - at));
    const char* state = mark.state == "current" ? " now" : mark.state == "pending" ? " todo" : "";
    out += format("<span class=\"op{}\">{}</span>", state, escape(end.code.substr(mark.begin, mark.end - mark.begin)));
    at = mark.end;
  }
  return out + escape(end.code.substr(at));
}

// What is between \1 and \2 is the current operation.
std::string state(const End& end) {
  auto open = end.state.find('\1'), close = end.state.find('\2');
  if (open == std::string::npos || close == std::string::npos) return escape(end.state);
  return escape(end.state.substr(0, open)) + "<b>" + escape(end.state.substr(open + 1, close - open - 1)) + "</b>" +
         escape(end.state.substr(close + 1));
}

// The line's turn from the lane of the row above.
std::string turn(const Row& row, const Row* above) {
  if (!above) return {};
  int here = static_cast<int>(row.stage.world), before = static_cast<int>(above->stage.world);
  if (here == before) return "<i></i>";
  const char* path = here > before ? "M0 0C0 13 24 8 24 22" : "M24 0C24 13 0 8 0 22";
  return format("<svg viewBox=\"0 0 24 22\" preserveAspectRatio=\"none\" style=\"--a:{};--b:{}\"><path d=\"{}\"/></svg>",
                std::min(here, before), std::abs(here - before), path);
}

class Section {
 public:
  Section(const Story& story, const HtmlOptions& options, std::size_t number, bool many, SaidDetails& said)
      : story_(story), options_(options), number_(number), prefix_(many ? format("e{}-", number + 1) : ""), said_(said) {}

  std::string text() const {
    bool many = !prefix_.empty();
    const char* block = many ? "div class=\"main\"" : "main";  // A page has one main: with several events their parts are plain blocks.
    return format("<section class=\"event\"{}>\n{}<{}>\n<div class=\"rows\">\n{}{}</div>\n{}</{}>\n</section>\n",
                  many ? format(" id=\"e{}\"", number_ + 1) : "", header(), block, tower(), html_modules(story_), overview(),
                  many ? "div" : "main");
  }

 private:
  std::string header() const {
    auto code = [](const std::optional<End>& e) { return e ? e->code : std::string(); };
    const auto& w = story_.words();
    auto title = story_.from && story_.to ? w.from_to(escape(code(story_.from)), escape(code(story_.to)))
                                          : escape(story_.to ? story_.to->place : "callpath");
    auto out = format("<header>\n<{0} class=\"vh\">{1}</{0}>\n", prefix_.empty() ? "h1" : "h2", title);
    if (story_.from) out += html_end(*story_.from, "from", w.from, "python");
    if (story_.to) out += html_end(*story_.to, "to", w.to, to_string(story_.rows.front().stage.tone));
    if (prefix_.empty()) out += html_tools(w);
    return out + format("<p class=\"sum\">{}</p>\n</header>\n", html_totals(story_, options_.verdict));
  }

  std::string columns_head() const {
    static constexpr const char* lanes[] = {"python", "cpython", "dispatch", "kernel"};
    std::string out = "<div class=\"cols\" aria-hidden=\"true\">";
    for (int lane = 0; lane < 4; ++lane)
      out += format("<b class=\"{}\" style=\"--l:{}\">{}</b>", lanes[lane], lane, to_string(static_cast<World>(lane)));
    const auto& w = story_.words();
    return out + format("<span>{}</span><span>{}</span><span>{}{}{}</span><span>{}</span></div>\n", w.frame, w.layer, w.function,
                        story_.language == "zh" ? "，" : ", ", w.order, w.decided);
  }

  std::string id(std::size_t at, std::map<std::string, int>& used) const {
    const auto& stage = story_.rows[at].stage;
    auto name = prefix_ + (stage.lowest ? format("f{}", *stage.lowest) : to_string(stage.layer));
    int n = ++used[name];
    return n == 1 ? name : format("{}-{}", name, n);
  }

  std::string classes(std::size_t at) const {
    const auto& stage = story_.rows[at].stage;
    std::string out = to_string(stage.tone);
    if (stage.folded) out += " fold";
    if (stage.elided) out += " ghost";
    if (at > 0 && story_.rows[at - 1].stage.elided) out += " before-ghost";
    if (at > 0 && story_.rows[at - 1].stage.world != stage.world) out += " leaves";
    if (stage.innermost) out += " hit";
    if (at + 1 == story_.rows.size()) out += " first";
    return out;
  }

  // With several events: one that was said before is a link to where.
  std::string detail(const Row& row, const Row* inner, const std::string& row_id) const {
    auto text = html_detail(story_, row, options_, prefix_) + html_quiz(story_, inner);
    if (prefix_.empty()) return format("<div class=\"detail\">{}</div>", text);
    auto nameless = html_detail(story_, row, options_, "") + html_quiz(story_, inner);
    auto before = said_.find_or_add(nameless, row_id);
    if (before.empty()) return format("<div class=\"detail\">{}</div>", text);
    return format("<div class=\"detail\" data-same=\"{0}\"><p>{1} <a href=\"#{0}\">{2} {3}</a></p></div>", before,
                  prose(row.note.text.sentence), story_.words().as_in_event, before.substr(1, before.find('-') - 1));
  }

  std::string tower() const {
    auto out = "<div class=\"tower\">\n" + columns_head();
    std::map<std::string, int> used;
    std::vector<std::string> ids(story_.rows.size());
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = id(i, used);
    for (std::size_t i = story_.rows.size(); i-- > 0;) {
      const auto& row = story_.rows[i];
      const auto* above = i + 1 < story_.rows.size() ? &story_.rows[i + 1] : nullptr;
      out += format("<details name=\"{}path\" id=\"{}\" class=\"{}\" style=\"--l:{}\">\n{}\n{}\n</details>\n", prefix_, ids[i], classes(i),
                    static_cast<int>(row.stage.world), html_summary(story_, row, above),
                    detail(row, i > 0 ? &story_.rows[i - 1] : nullptr, ids[i]));
    }
    return out + "</div>\n";
  }

  std::string overview() const {
    std::string told;
    for (auto at = story_.rows.rbegin(); at != story_.rows.rend(); ++at)
      if (!at->note.text.tell.empty()) told += "<p>" + prose(at->note.text.tell) + "</p>";
    return format("<aside class=\"over\">{}{}<p class=\"keys\">{}</p></aside>\n",
                  told.empty() ? "" : format("<h3>{}</h3>", story_.words().told), told, story_.words().keys);
  }

  const Story& story_;
  const HtmlOptions& options_;
  std::size_t number_;
  std::string prefix_;
  SaidDetails& said_;
};

}  // namespace

std::string SaidDetails::find_or_add(const std::string& detail, const std::string& row) {
  auto [at, added] = rows_.try_emplace({std::hash<std::string>{}(detail), detail.size()}, row);
  return added ? std::string() : at->second;
}

std::string html_end(const End& end, const std::string& kind, const std::string& label, const std::string& tone) {
  return format(
      "<section class=\"end {} {}\" aria-label=\"{}\"><p class=\"place\">{}</p><div class=\"m\">{}</div><p "
      "class=\"marks\">{}</p></section>\n",
      kind, tone, label, escape(end.place), code_with_marks(end), state(end));
}

std::string html_tools(const Words& w) {
  return format(
      "<div class=\"tools\"><span class=\"step m\" aria-live=\"polite\"></span><span class=\"find\"><input type=\"search\" "
      "placeholder=\"{0}\" aria-label=\"{0}\" title=\"/\"><output></output></span><button type=\"button\" class=\"every\" "
      "title=\"f\">{1}</button><button type=\"button\" class=\"show\" title=\"p\">{2}</button><button type=\"button\" class=\"theme\" "
      "title=\"t\">{3}</button></div>\n",
      w.search, w.every_frame, w.present, w.theme);
}

std::string html_totals(const Story& story, const std::string& verdict) {
  const auto& t = story.totals;
  const auto& w = story.words();
  const auto& target = story.recording->target;
  auto out = escape(w.totals(t.native, t.python, t.elided));
  auto add = [&](const std::string& part) {
    if (!part.empty()) out += " · " + escape(part);
  };
  if (!story.event->thread.name.empty()) add(std::string(w.thread) + " " + story.event->thread.name);
  if (!target.python_version.empty()) add("CPython " + target.python_version);
  add(target.engine + (target.engine.empty() || target.capability.empty() ? "" : ", ") + target.capability);
  add(in_language(verdict, story.language));
  if (!story.event->complete) {
    const auto& reason = story.event->incomplete_reason;
    add(w.incomplete + (reason.empty() ? std::string() : w.colon + in_language(reason, story.language)));
  }
  add(in_language(story.event->thread.note, story.language));
  return out;
}

std::string html_summary(const Story& story, const Row& row, const Row* above) {
  auto name = shorten_middle(row.name, 56);
  auto out = format("<summary><span class=\"g\" aria-hidden=\"true\">{}</span><span class=\"n\">{}</span><span class=\"lay\">{}</span>",
                    turn(row, above), number_range(row.stage), to_string(row.stage.layer));
  if (row.stage.folded) {
    auto repeats = row.stage.repeats > 1 ? story.words().rounds(row.stage.repeats) + " " : "";
    return out + format("<span class=\"fn\">▸ {}{}</span></summary>", escape(repeats), prose(row.sentence));
  }
  auto beside = escape(row.place) + (row.confidence.empty() ? "" : (row.place.empty() ? "" : " · ") + row.confidence);
  auto full = escape(shorten_middle(printable(story.event->frames[row.stage.key].full), 400));
  out += format("<span class=\"fn m\"><b{}>{}</b><small>{}</small></span>", full == escape(name) ? "" : format(" title=\"{}\"", full),
                escape(name), beside);
  if (row.choice) out += format("<span class=\"d\">{}</span>", html_choice(*row.choice));
  return out + format("<span class=\"s{}\">{}</span></summary>", row.code_sentence ? " m" : "",
                      row.code_sentence ? escape(row.sentence) : prose(row.sentence));
}

std::string html_section(const Story& story, const HtmlOptions& options, std::size_t number, bool many, SaidDetails& said) {
  return Section(story, options, number, many, said).text();
}

}  // namespace callpath
