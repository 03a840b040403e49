#include "views/html_detail.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "explain/names.hpp"
#include "explain/text.hpp"
#include "views/html_text.hpp"

namespace callpath {
namespace {

using fmt::format;

const char* language_of(const std::string& file) {
  if (file.ends_with(".py") || file.ends_with(".pyi")) return "python";
  for (const char* end : {".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".inc", ".cu"})
    if (file.ends_with(end)) return "cpp";
  return file.find("/c++/") != std::string::npos ? "cpp" : "";
}

// Without the indentation that all lines share: the pane is narrow.
std::size_t shared_indent(const std::vector<std::string>& lines) {
  std::size_t least = std::string::npos;
  for (const auto& line : lines) {
    auto at = line.find_first_not_of(' ');
    if (at != std::string::npos) least = std::min(least, at);
  }
  return least == std::string::npos ? 0 : least;
}

std::string source(const Frame& frame) {
  if (!frame.source || !frame.source->excerpt || frame.source->excerpt->lines.empty()) return {};
  const auto& excerpt = *frame.source->excerpt;
  auto cut = shared_indent(excerpt.lines);
  auto out = format("<pre class=\"src\" data-lang=\"{}\" tabindex=\"0\">", language_of(frame.source->file));
  for (std::size_t i = 0; i < excerpt.lines.size(); ++i) {
    int number = excerpt.first + static_cast<int>(i);
    auto text = excerpt.lines[i].size() > cut ? excerpt.lines[i].substr(cut) : std::string();
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    out += format("<span{}><i>{}</i><code>{}</code></span>", number == frame.source->line ? " class=\"here\"" : "", number, escape(text));
  }
  return out + "</pre>";
}

std::string where(const Story& story, const Row& row) {
  const auto& stage = row.stage;
  std::string numbers = !stage.lowest                   ? story.words().left_no_frame
                        : stage.lowest == stage.highest ? format("#{}", *stage.lowest)
                                                        : format("#{} – #{}", *stage.lowest, *stage.highest);
  auto out = format("<p class=\"where\">{} <span>{}", to_string(stage.layer), numbers);
  if (!row.place.empty() && !stage.folded) out += ", " + escape(row.place);
  if (!row.confidence.empty()) out += ", " + row.confidence;
  return out + "</span></p>";
}

// A link to #kernel.exponent leads to the stage in which that was decided, in every recording that has the decision.
std::string questions(const Story& story, const Row& row, const std::string& id_prefix) {
  std::string out;
  for (const auto* decision : row.decisions) {
    if (decision->question.empty()) continue;
    bool first = std::none_of(story.event->decisions.begin(), story.event->decisions.end(),
                              [&](const Decision& d) { return d.id == decision->id && &d < decision; });
    out += format("<p class=\"ask\"{}>{} <span class=\"d\">{}</span></p>",
                  first ? format(" id=\"{}{}\"", id_prefix, escape(decision->id)) : "", escape(story.question(*decision)),
                  html_choice(choice_of(*decision, 60, story.language)));
  }
  return out;
}

// Where a fact was read; with the frame if that stands in another stage.
std::string how_known(const Story& story, const Row& row, const Fact& fact) {
  const auto& frames = row.stage.frames;
  auto at = static_cast<std::size_t>(fact.frame);
  if (fact.frame < 0 || at >= story.event->frames.size() || std::find(frames.begin(), frames.end(), at) != frames.end())
    return in_language(fact.how, story.language);
  const auto& frame = story.event->frames[at];
  auto where = frame.number ? format("#{}", *frame.number) : display_name(frame);
  if (fact.how.empty()) return where;
  if (story.language == "zh") return in_language(fact.how, "zh") + "，在 " + where;
  bool one_variable = (fact.how.starts_with("argument ") || fact.how.starts_with("local ")) && fact.how.find(',') == std::string::npos;
  return fact.how + (one_variable ? " of " : ", in ") + where;
}

std::string facts(const Story& story, const Row& row, const HtmlOptions& options) {
  if (row.facts.empty()) return {};
  auto out = format("<h4>{}</h4><table>", story.words().how);
  for (const auto* fact : row.facts) {
    auto unit = fact->unit.empty() ? "" : (story.language == "zh" ? "，单位 " : ", in ") + escape(in_language(fact->unit, story.language));
    bool differs = options.differing && options.differing->count(fact) > 0;
    out += format("<tr{}><th scope=\"row\">{}</th><td class=\"m\">{}</td><td>{}{}</td></tr>", differs ? " class=\"differs\"" : "",
                  escape(fact->name), breakable(fact->text), breakable(how_known(story, row, *fact)), unit);
  }
  return out + "</table>";
}

std::string operations(const Story& story, const Row& row) {
  auto user = user_frame(*story.event);
  if (!user || *user != row.stage.key || story.event->operations.empty()) return {};
  const auto& words = story.words();
  std::string out = "<table class=\"ops\">";
  for (const auto& op : story.event->operations) {
    bool now = op.state == "current";
    const char* state = now ? words.on_stack : op.state == "returned" ? words.returned : words.pending;
    out += format("<tr{}><th scope=\"row\">{}</th><td class=\"m\">{}{}{}</td><td>{}{}</td></tr>", now ? " class=\"now\"" : "", op.offset,
                  escape(op.opcode), op.argrepr.empty() ? "" : " ", escape(op.argrepr), state,
                  op.column && op.end_column && op.line == op.end_line ? format(", {}–{}", *op.column, *op.end_column) : "");
  }
  return out + "</table>";
}

std::string arguments(const Story& story, const Row& row) {
  constexpr std::size_t most = 12;
  const auto& frame = story.event->frames[row.stage.key];
  if (row.stage.folded || frame.arguments.empty()) return {};
  auto out = format("<h4 class=\"args\">{}</h4><table class=\"args\">", story.words().arguments);
  for (std::size_t i = 0; i < std::min(most, frame.arguments.size()); ++i) {
    const auto& v = frame.arguments[i];
    auto value = v.value ? breakable(shorten_middle(printable(*v.value), 120))
                         : "<em>" + escape(in_language(v.reason.value_or(""), story.language)) + "</em>";
    out += format("<tr><th scope=\"row\" title=\"{0}\">{0}</th><td class=\"m\">{1}</td><td class=\"m\">{2}</td></tr>", escape(v.name),
                  value, breakable(shorten_middle(printable(v.type), 48)));
  }
  return out + "</table>";
}

std::string otherwise(const Story& story, const Row& row) {
  std::string out;
  if (!row.note.text.otherwise.empty()) out += prose(row.note.text.otherwise);
  for (const auto* decision : row.decisions)
    for (const auto& other : decision->elsewhere) {
      auto link = safe_link(page_beside(other.recording));
      auto text = escape(in_language(other.option, story.language) + ": " + file_name(other.recording));
      out += link.empty() ? " " + text : format(" <a href=\"{}\">{}</a>", link, text);
    }
  return out.empty() ? "" : "<p class=\"else\">" + out + "</p>";
}

std::string missing(const Story& story, const Row& row) {
  std::string out;
  std::vector<std::string> said;
  for (auto i : row.stage.frames) {
    const auto& f = story.event->frames[i];
    if (!f.missing) continue;
    auto text = escape(in_language(f.missing->what, story.language)) +
                (f.missing->remedy.empty() ? "" : ": <code>" + escape(in_language(f.missing->remedy, story.language)) + "</code>");
    if (std::find(said.begin(), said.end(), text) != said.end()) continue;
    said.push_back(text);
    out += "<p>" + text + "</p>";
  }
  return out.empty() ? "" : format("<h4>{}</h4>", story.words().where_to_get) + out;
}

std::string evidence(const Story& story, const Row& row) {
  std::string out;
  for (auto at = row.stage.frames.rbegin(); at != row.stage.frames.rend(); ++at) {
    const auto& f = story.event->frames[*at];
    if (!f.evidence.empty())
      out += format("<tr><th scope=\"row\" class=\"m\">{}</th><td>{}</td></tr>", escape(shorten_middle(display_name(f), 40)),
                    escape(in_language(f.evidence, story.language)));
  }
  return out.empty() ? "" : format("<h4>{}</h4><table>{}</table>", story.words().evidence, out);
}

std::string full_names(const Story& story, const Row& row) {
  std::string out;
  const std::string* before = nullptr;
  for (auto at = row.stage.frames.rbegin(); at != row.stage.frames.rend(); ++at) {
    const auto& f = story.event->frames[*at];
    if (f.full == display_name(f) || (before && *before == f.full)) continue;
    before = &f.full;
    out += "<li>" + breakable(f.full) + "</li>";
  }
  return out.empty()
             ? ""
             : format("<details class=\"more\"><summary>{}</summary><ul class=\"m\">{}</ul></details>", story.words().full_names, out);
}

std::string by_hand(const Story& story, const Row& row, const HtmlOptions& options) {
  auto commands = by_hand_commands(row, *story.event, options.by_hand_stages);
  if (commands.empty()) return {};
  auto out = format("<h4 class=\"hand\">{}</h4><pre class=\"hand\">", story.words().by_hand);
  for (const auto& command : commands) out += format("<span>{}</span>", escape(command));
  return out + "</pre>";
}

bool same_line(const Frame& a, const Frame& b) {
  return a.kind == Kind::python && b.kind == Kind::python && a.full == b.full &&
         (a.source ? a.source->line : std::nullopt) == (b.source ? b.source->line : std::nullopt);
}

}  // namespace

std::string html_choice(const Choice& choice) {
  std::string out = escape(choice.label);
  for (std::size_t i = 0; i < choice.options.size(); ++i) {
    if (!out.empty()) out += ' ';
    auto text = escape(choice.options[i]);
    out += i == choice.taken ? "<b><span class=\"vh\">[</span>" + text + "<span class=\"vh\">]</span></b>" : text;
  }
  return out;
}

std::string html_frames(const Story& story, const Row& row, const std::string& id_prefix, bool with_ids) {
  std::string out;
  const auto& indices = row.stage.frames;
  auto frame = [&](std::size_t from_outer) -> const Frame& { return story.event->frames[indices[indices.size() - 1 - from_outer]]; };
  for (std::size_t n = 0; n < indices.size();) {
    std::size_t end = n + 1;
    while (end < indices.size() && same_line(frame(n), frame(end))) ++end;
    const auto& f = frame(n);
    bool named = with_ids && f.number && f.kind != Kind::python && f.number != row.stage.lowest;
    auto name = shorten_middle(display_name(f), 72);
    auto word = f.kind == Kind::inlined ? story.words().inlined : f.kind == Kind::elided ? story.words().left_no_frame : "";
    out += format("<li{}><span>{}</span><b title=\"{}\">{}{}</b><span>{}{}</span></li>",
                  named ? format(" id=\"{}f{}\"", id_prefix, *f.number) : "", f.number ? format("#{}", *f.number) : "–",
                  escape(shorten_middle(printable(f.full), 400)), with_ids ? breakable(name) : escape(name),
                  end - n > 1 ? " " + story.words().rounds(static_cast<int>(end - n)) : "", escape(place(f, *story.recording)),
                  *word ? format(" <em>{}</em>", word) : "");
    n = end;
  }
  return out;
}

std::string html_detail(const Story& story, const Row& row, const HtmlOptions& options, const std::string& id_prefix) {
  const auto& text = row.note.text;
  std::string out = where(story, row);
  out += "\n";
  if (!text.title.empty()) out += "<h3>" + prose(text.title) + "</h3>";
  if (!text.sentence.empty()) out += "<p class=\"one\">" + prose(text.sentence) + "</p>";
  if (!row.stage.folded) out += source(story.event->frames[row.stage.key]);
  out += questions(story, row, id_prefix) + facts(story, row, options) + operations(story, row);
  if (!text.text.empty()) out += "<p>" + prose(text.text) + "</p>";
  out += otherwise(story, row) + evidence(story, row) + missing(story, row) + arguments(story, row);
  out += format("<h4 class=\"frames-head\">{}</h4><ul class=\"frames m\">{}</ul>", story.words().frames_in_stage,
                html_frames(story, row, id_prefix, true));
  return out + full_names(story, row) + by_hand(story, row, options);
}

}  // namespace callpath
