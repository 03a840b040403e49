#include "views/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/error.hpp"
#include "views/embedded.hpp"
#include "views/html_events.hpp"
#include "views/html_section.hpp"
#include "views/html_shell.hpp"
#include "views/html_text.hpp"
#include "views/tokens.hpp"

namespace callpath {
namespace {

std::string page_title(const Story& story, const HtmlOptions& options) {
  if (!options.title.empty()) return options.title;
  auto to = story.to ? story.to->place : "";
  return story.from ? story.from->place + " → " + to : to;
}

}  // namespace

std::string html_head(const Recording& recording, const Words& words, const std::string& title, const std::string& body_classes) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<meta name=\"generator\" content=\"callpath {}\">\n<title>{} · "
      "callpath</title>\n<style>\n{}{}</style>\n</head>\n<body{}>\n",
      words.html_lang, escape(recording.producer.version), escape(title), css_tokens(), embedded::page_css(),
      body_classes.empty() ? "" : " class=\"" + body_classes + "\"");
}

std::string html_foot() {
  std::string out;
  if (!embedded::highlight_js().empty()) out += fmt::format("<script>\n{}\n</script>\n", embedded::highlight_js());
  return out + fmt::format("<script>\n(() => {{\n{}}})();\n</script>\n</body>\n</html>\n", embedded::page_js());
}

void write_html(std::ostream& out, const Recording& recording, const HtmlOptions& options) {
  if (recording.events.empty())
    throw Error("the recording has no events: there is no path to show", "Record again; `callpath run` says why a stop was not reached.");
  const auto& notes = options.notes ? *options.notes : Notes::built_in();
  std::vector<Story> stories;
  EventsList list;
  bool many = recording.events.size() > 1;
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    stories.push_back(story_of(recording, i, options.language, notes));
    if (many) list.add(stories.back());
  }
  std::string classes = many ? "many" : "";
  constexpr std::size_t long_path = 200;
  if (std::any_of(stories.begin(), stories.end(), [](const Story& s) { return s.rows.size() > long_path; }))
    classes += many ? " long" : "long";
  if (options.present) classes += classes.empty() ? "presented" : " presented";
  const auto& words = stories[0].words();
  out << html_head(recording, words, page_title(stories[0], options), classes);
  if (many) out << list.text(words, html_tools(words)) << "<main class=\"all-events\">\n";
  SaidDetails said;
  for (std::size_t i = 0; i < stories.size(); ++i) out << html_section(stories[i], options, i, many, said);
  if (many) out << "</main>\n";
  out << html_foot();
}

std::string html(const Recording& recording, const HtmlOptions& options) {
  std::ostringstream out;
  write_html(out, recording, options);
  return std::move(out).str();
}

}  // namespace callpath
