#include "views/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/error.hpp"
#include "explain/names.hpp"
#include "explain/text.hpp"
#include "views/embedded.hpp"
#include "views/html_detail.hpp"
#include "views/html_text.hpp"
#include "views/tokens.hpp"

namespace callpath {
namespace {

using fmt::format;

class Section {
 public:
  Section(const Story& story, const HtmlOptions& options, std::size_t event, bool many)
      : story_(story), options_(options), event_(event), prefix_(many ? format("e{}-", event + 1) : ""), heading_(many ? "h2" : "h1") {}

  std::string text() const {
    auto out = format("<section class=\"event\"{}>\n", prefix_.empty() ? "" : format(" id=\"e{}\"", event_ + 1));
    out += header() + "<main>\n<div class=\"rows\">\n" + tower() + modules() + "</div>\n" + overview() + "</main>\n</section>\n";
    return prefix_.empty() ? out : replace_main(std::move(out));
  }

 private:
  // A page has one main: with several events their parts are plain blocks.
  static std::string replace_main(std::string text) {
    auto put = [&](std::string_view from, std::string_view to) {
      if (auto at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
    };
    put("<main>", "<div class=\"main\">");
    put("\n</main>", "\n</div>");
    return text;
  }

  static std::string code_with_marks(const End& end) {
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
  static std::string state(const End& end) {
    auto open = end.state.find('\1'), close = end.state.find('\2');
    if (open == std::string::npos || close == std::string::npos) return escape(end.state);
    return escape(end.state.substr(0, open)) + "<b>" + escape(end.state.substr(open + 1, close - open - 1)) + "</b>" +
           escape(end.state.substr(close + 1));
  }

  std::string end(const End& end, const char* kind, const char* label, const std::string& tone) const {
    return format(
        "<section class=\"end {} {}\" aria-label=\"{}\"><p class=\"place\">{}</p><div class=\"m\">{}</div><p "
        "class=\"marks\">{}</p></section>\n",
        kind, tone, label, escape(end.place), code_with_marks(end), state(end));
  }

  std::string totals() const {
    const auto& t = story_.totals;
    const auto& target = story_.recording->target;
    auto out = escape(story_.words().totals(t.native, t.python, t.elided));
    auto add = [&](const std::string& part) {
      if (!part.empty()) out += " · " + escape(part);
    };
    if (!story_.event->thread.name.empty()) add((story_.language == "zh" ? "线程 " : "thread ") + story_.event->thread.name);
    if (!target.python_version.empty()) add("CPython " + target.python_version);
    add(target.engine + (target.engine.empty() || target.capability.empty() ? "" : ", ") + target.capability);
    add(options_.verdict);
    if (!story_.event->complete)
      add(story_.event->incomplete_reason.empty() ? "incomplete" : "incomplete: " + story_.event->incomplete_reason);
    add(story_.event->thread.note);
    return out;
  }

  std::string header() const {
    auto code = [](const std::optional<End>& e) { return e ? e->code : std::string(); };
    auto title = story_.from && story_.to ? format("From {} to {}", escape(code(story_.from)), escape(code(story_.to)))
                                          : escape(story_.to ? story_.to->place : "callpath");
    auto out = format("<header>\n<{0} class=\"vh\">{1}</{0}>\n", heading_, title);
    if (story_.from) out += end(*story_.from, "from", story_.words().from, "python");
    if (story_.to) out += end(*story_.to, "to", story_.words().to, to_string(story_.rows.front().stage.tone));
    out += format(
        "<div class=\"tools\"><button type=\"button\" class=\"every\" title=\"f\">{}</button><button type=\"button\" class=\"theme\" "
        "title=\"t\">{}</button></div>\n",
        story_.words().every_frame, story_.words().theme);
    return out + format("<p class=\"sum\">{}</p>\n</header>\n", totals());
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

  std::string turn(std::size_t at) const {
    if (at + 1 == story_.rows.size()) return {};
    int here = static_cast<int>(story_.rows[at].stage.world), before = static_cast<int>(story_.rows[at + 1].stage.world);
    if (here == before) return "<i></i>";
    const char* path = here > before ? "M0 0C0 13 24 8 24 22" : "M24 0C24 13 0 8 0 22";
    return format("<svg viewBox=\"0 0 24 22\" preserveAspectRatio=\"none\" style=\"--a:{};--b:{}\"><path d=\"{}\"/></svg>",
                  std::min(here, before), std::abs(here - before), path);
  }

  std::string summary(const Row& row, std::size_t at) const {
    auto name = shorten_middle(row.name, 56);
    auto out = format("<summary><span class=\"g\" aria-hidden=\"true\">{}</span><span class=\"n\">{}</span><span class=\"lay\">{}</span>",
                      turn(at), number_range(row.stage), to_string(row.stage.layer));
    if (row.stage.folded) {
      auto repeats = row.stage.repeats > 1 ? story_.words().rounds(row.stage.repeats) + " " : "";
      return out + format("<span class=\"fn\">▸ {}{}</span></summary>", escape(repeats), prose(row.sentence));
    }
    auto beside = escape(row.place) + (row.confidence.empty() ? "" : (row.place.empty() ? "" : " · ") + row.confidence);
    const auto& full = story_.event->frames[row.stage.key].full;
    out += format("<span class=\"fn m\"><b title=\"{}\">{}</b><small>{}</small></span>", escape(shorten_middle(printable(full), 400)),
                  escape(name), beside);
    if (row.choice) out += format("<span class=\"d\">{}</span>", html_choice(*row.choice));
    return out + format("<span class=\"s{}\">{}</span></summary>", row.code_sentence ? " m" : "",
                        row.code_sentence ? escape(row.sentence) : prose(row.sentence));
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

  std::string tower() const {
    auto out = "<div class=\"tower\">\n" + columns_head();
    std::map<std::string, int> used;
    std::vector<std::string> ids(story_.rows.size());
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = id(i, used);
    for (std::size_t i = story_.rows.size(); i-- > 0;) {
      const auto& row = story_.rows[i];
      out += format("<details name=\"{}path\" id=\"{}\" class=\"{}\" style=\"--l:{}\">\n{}\n", prefix_, ids[i], classes(i),
                    static_cast<int>(row.stage.world), summary(row, i));
      out += format("<div class=\"detail\">{}</div>\n</details>\n", html_detail(story_, row, options_, prefix_));
      out += format("<ul class=\"all m {}\" style=\"--l:{}\">{}</ul>\n", classes(i), static_cast<int>(row.stage.world),
                    html_frames(story_, row, prefix_, false));
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

  int frames_of(std::size_t module) const {
    return static_cast<int>(std::count_if(story_.event->frames.begin(), story_.event->frames.end(),
                                          [&](const Frame& f) { return f.module && *f.module == static_cast<int>(module); }));
  }

  std::string modules() const {
    std::string rows;
    for (std::size_t i = 0; i < story_.recording->modules.size(); ++i) {
      const auto& m = story_.recording->modules[i];
      int frames = frames_of(i);
      if (m.debug == "full" || frames == 0) continue;
      rows += format(
          "<tr><th scope=\"row\" title=\"{}\">{}<small class=\"m\">{}</small></th><td>{}</td><td>{}</td><td class=\"m\">{}</td></tr>",
          escape(m.path), escape(m.name), escape(m.build_id.substr(0, 12)), escape(m.debug), frames, escape(m.advice));
    }
    if (rows.empty()) return {};
    const auto& w = story_.words();
    return format(
        "<section class=\"foot\"><h3>{}</h3><table><thead><tr><th scope=\"col\">{}</th><th scope=\"col\">{}</th><th "
        "scope=\"col\">{}</th><th scope=\"col\">{}</th></tr></thead><tbody>{}</tbody></table></section>\n",
        w.modules, w.module, w.debug, w.frames, w.advice, rows);
  }

  const Story& story_;
  const HtmlOptions& options_;
  std::size_t event_;
  std::string prefix_;
  const char* heading_;
};

std::string page_title(const Story& story, const HtmlOptions& options) {
  if (!options.title.empty()) return options.title;
  auto to = story.to ? story.to->place : "";
  return story.from ? story.from->place + " → " + to : to;
}

std::string events_list(const std::vector<Story>& stories) {
  auto out = format("<nav class=\"events\" aria-label=\"{0}\"><h1>{0}</h1><ol>", stories[0].words().events);
  for (std::size_t i = 0; i < stories.size(); ++i) {
    const auto& s = stories[i];
    out += format("<li><a href=\"#e{}\">{}</a> <span class=\"m\">{}</span></li>", i + 1,
                  escape(s.event->trigger.kind + (s.event->trigger.spec.empty() ? "" : " " + s.event->trigger.spec)),
                  escape((s.from ? s.from->place + " → " : "") + (s.to ? s.to->place : "")));
  }
  return out + "</ol></nav>\n";
}

}  // namespace

std::string html(const Recording& recording, const HtmlOptions& options) {
  if (recording.events.empty())
    throw Error("the recording has no events: there is no path to show", "Record again; `callpath run` says why a stop was not reached.");
  std::vector<Story> stories;
  for (std::size_t i = 0; i < recording.events.size(); ++i) stories.push_back(story_of(recording, i, options.language));
  bool many = stories.size() > 1;
  auto out = format(
      "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n",
      stories[0].words().html_lang);
  out +=
      format("<meta name=\"generator\" content=\"callpath {}\">\n<title>{} · callpath</title>\n<style>\n{}{}</style>\n</head>\n<body{}>\n",
             escape(recording.producer.version), escape(page_title(stories[0], options)), css_tokens(), embedded::page_css(),
             many ? " class=\"many\"" : "");
  if (many) out += events_list(stories);
  if (many) out += "<main class=\"all-events\">\n";
  for (std::size_t i = 0; i < stories.size(); ++i) out += Section(stories[i], options, i, many).text();
  if (many) out += "</main>\n";
  if (!embedded::highlight_js().empty()) out += format("<script>\n{}\n</script>\n", embedded::highlight_js());
  return out + format("<script>\n{}</script>\n</body>\n</html>\n", embedded::page_js());
}

}  // namespace callpath
