#include "cli/index_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/lesson.hpp"
#include "cli/lesson_html.hpp"
#include "cli/walk_list.hpp"
#include "record/write_file.hpp"
#include "views/html_text.hpp"
#include "views/tokens.hpp"

namespace fs = std::filesystem;

namespace callpath::cli {
namespace {

constexpr const char* style = R"(*, ::before, ::after { box-sizing: border-box; margin: 0 }
body { background: var(--bg); color: var(--ink); font: 16px/1.5 Inter, "Noto Sans", system-ui, "Segoe UI", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", "DejaVu Sans", sans-serif }
main { max-width: 860px; margin: 0 auto; padding: 32px 24px 64px }
h1 { font-size: 26px; font-weight: 600 } h2 { font-size: 15px; font-weight: 600; color: var(--muted); margin: 40px 0 8px }
p, ul, ol, table, pre, blockquote { margin-top: 12px } li { margin-top: 4px } ul, ol { padding-left: 24px }
a { color: var(--python); text-underline-offset: 3px }
:focus-visible { outline: 2px solid var(--python); outline-offset: 2px; border-radius: 4px }
code, pre { font-family: ui-monospace, "SF Mono", "Noto Sans Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .88em }
pre { background: var(--code); border-radius: 6px; padding: 10px 14px; overflow-x: auto; line-height: 1.5 }
table { border-collapse: collapse; font-size: 14px } th, td { text-align: left; vertical-align: top; padding: 4px 14px 4px 0; border-bottom: 1px solid var(--line) }
blockquote { border-left: 3px solid var(--line); padding-left: 14px }
.walk { display: grid; grid-template-columns: 44px minmax(0, 1fr); border-top: 1px solid var(--line); padding: 14px 0 }
.walk > b { font-size: 19px; font-weight: 600; color: var(--muted); font-variant-numeric: tabular-nums }
.walk h3 { font-size: 17px; font-weight: 600 } .walk p { margin-top: 2px } .small { font-size: 14px; color: var(--muted) } .small a { margin-right: 14px }
.others { font-size: 14px; margin-top: 6px; padding-left: 20px }
section.step { border-top: 1px solid var(--line); margin-top: 28px; padding-top: 16px } .step h2 { margin: 0; color: var(--ink); font-size: 19px } .kind { color: var(--muted); font-size: 13px; font-weight: 600 }
@media print { a { color: inherit } section.step { break-inside: avoid } }
)";

struct Words {
  const char *heading, *lead, *path, *present, *lesson, *others, *not_here, *by_hand, *back;
};
constexpr Words english = {
    "Walkthroughs",
    "Each page shows one path: from a line of Python to the code that does the work. The pages need no network, no gdb and no Linux.",
    "the path",
    "step by step, with questions",
    "the lesson",
    "Other outcomes",
    "It could not run here; this is its checked recording.",
    "In plain gdb",
    "All walkthroughs"};
constexpr Words chinese = {"导览",
                           "每个页面展示一条路径：从一行 Python 到真正干活的代码。看这些页面不需要网络，不需要 gdb，也不需要 Linux。",
                           "路径",
                           "逐段讲解，带问题",
                           "课文",
                           "其他结果",
                           "这台机器上不能运行；这是检查过的记录。",
                           "用普通的 gdb",
                           "全部导览"};

const Words& words(const std::string& language) { return language == "zh" ? chinese : english; }

std::string page(const std::string& title, const std::string& language, const std::string& content) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n"
      "<title>{}</title>\n<style>\n{}{}</style></head>\n<body><main>\n{}</main></body></html>\n",
      language == "zh" ? "zh-CN" : "en", escape(title), css_tokens(), style, content);
}

std::string lesson_page_name(const Walkthrough& walk) { return walk.name() + "-lesson.html"; }

std::string kind_word(const Step& step, const std::string& language) {
  const std::pair<const char*, std::pair<const char*, const char*>> kinds[] = {
      {"guess", {"Guess", "猜"}}, {"run", {"Run", "运行"}},   {"look", {"Look", "看"}},
      {"why", {"Why", "为什么"}}, {"vary", {"Vary", "变化"}}, {"transfer", {"Transfer", "迁移"}}};
  for (const auto& [word, names] : kinds)
    if (step.kind == word) return language == "zh" ? names.second : names.first;
  return step.kind;
}

std::string step_html(const Walkthrough& walk, const Step& step, int number, const std::string& language) {
  auto out = fmt::format("<section class=\"step\"><p class=\"kind\">{} · {}</p><h2>{}</h2>\n{}", number, kind_word(step, language),
                         escape(step.title), html_of_markdown(step.text));
  for (const auto& question : walk.questions) {
    if (question.step != number) continue;
    out += fmt::format("<blockquote><p>{}</p><ul>\n", prose(question.ask.in(language)));
    for (const auto& option : question.options) out += fmt::format("<li>{}</li>\n", prose(option.text.in(language)));
    out += "</ul></blockquote>\n";
  }
  if (!step.gdb.empty()) {
    out += fmt::format("<p class=\"kind\">{}</p><pre>", words(language).by_hand);
    for (const auto& line : step.gdb) out += escape(line) + "\n";
    out += "</pre>\n";
  }
  return out + "</section>\n";
}

std::string lesson_page(const Walkthrough& walk, const std::string& language) {
  const auto lesson = read_lesson(walk.lesson(language));
  auto content = fmt::format("<p class=\"small\"><a href=\"index.html\">{}</a></p>\n<h1>{}</h1>\n{}", words(language).back,
                             escape(lesson.title), html_of_markdown(lesson.introduction));
  int number = 0;
  for (const auto& step : lesson.steps) content += step_html(walk, step, ++number, language);
  return page(lesson.title, language, content);
}

std::string entry_html(const IndexEntry& entry, const std::string& language) {
  const auto& w = words(language);
  const auto& walk = *entry.walk;
  auto out = fmt::format("<div class=\"walk\"><b>{}</b><div><h3>{}</h3><p>{}</p>\n<p class=\"small\">", walk.number,
                         escape(walk.title.in(language)), prose(walk.asks.in(language)));
  if (!entry.page.empty())
    out += fmt::format("<a href=\"{0}\">{1}</a><a href=\"{0}?present\">{2}</a>", escape(entry.page), w.path, w.present);
  if (std::filesystem::exists(walk.lesson(language))) out += fmt::format("<a href=\"{}\">{}</a>", escape(lesson_page_name(walk)), w.lesson);
  out += "</p>\n";
  if (!entry.ran_here) out += fmt::format("<p class=\"small\">{}</p>\n", w.not_here);
  if (!entry.variants.empty()) {
    out += fmt::format("<ul class=\"others\" aria-label=\"{}\">\n", w.others);
    for (const auto& other : entry.variants) out += fmt::format("<li><a href=\"{}\">{}</a></li>\n", escape(other.page), prose(other.title));
    out += "</ul>\n";
  }
  return out + "</div></div>\n";
}

}  // namespace

void write_index(const std::vector<IndexEntry>& entries, const std::string& language, const fs::path& folder) {
  const auto& w = words(language);
  auto content = fmt::format("<h1>{}</h1>\n<p>{}</p>\n", w.heading, w.lead);
  for (const auto& track : tracks) {
    if (std::none_of(entries.begin(), entries.end(), [&](const IndexEntry& entry) { return entry.walk->track == track; })) continue;
    content += fmt::format("<h2>{}</h2>\n", escape(track_title(track, language)));
    for (const auto& entry : entries)
      if (entry.walk->track == track) content += entry_html(entry, language);
  }
  for (const auto& entry : entries)
    if (fs::exists(entry.walk->lesson(language)))
      write_file((folder / lesson_page_name(*entry.walk)).string(), lesson_page(*entry.walk, language));
  write_file((folder / "index.html").string(), page(w.heading, language, content));
}

}  // namespace callpath::cli
