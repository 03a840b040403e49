#include "views/html_quiz.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "explain/text.hpp"
#include "views/html_text.hpp"

namespace callpath {
namespace {

// The page of the recording in which another option is taken, at the same decision.
std::string page_of(const Decision& decision, const std::string& option) {
  for (const auto& other : decision.elsewhere) {
    if (other.option != option) continue;
    auto link = safe_link(page_beside(other.recording));
    if (!link.empty()) return link + "?present#" + decision.id;
  }
  return {};
}

// The facts that decide, in the words of the record.
std::string reason(const Row& row, const Decision& decision) {
  std::string out;
  for (const auto& name : decision.facts) {
    auto at = std::find_if(row.facts.begin(), row.facts.end(), [&](const Fact* f) { return f->name == name; });
    if (at != row.facts.end()) out += (out.empty() ? "" : ", ") + printable(name) + " = " + shorten_middle(printable((*at)->text), 40);
  }
  return out;
}

}  // namespace

std::string html_quiz(const Story& story, const Row* next) {
  if (!next || !next->asked || next->asked->options.size() < 2 || next->asked->question.empty()) return {};
  const auto& decision = *next->asked;
  std::string answers;
  for (const auto& option : decision.options) {
    auto text = escape(shorten_middle(printable(in_language(option, story.language)), 60));
    auto link = page_of(decision, option);
    if (option == decision.taken)
      answers += fmt::format("<li><button type=\"button\" class=\"right\">{}</button></li>", text);
    else if (link.empty())
      answers += fmt::format("<li><button type=\"button\">{}</button></li>", text);
    else
      answers += fmt::format("<li><a href=\"{}\">{}</a></li>", escape(link), text);
  }
  const auto& w = story.words();
  return fmt::format(
      "<section class=\"quiz\" hidden data-right=\"{}\" data-wrong=\"{}\"><p>{}</p><ol{}>{}</ol><p class=\"answer\" "
      "aria-live=\"polite\"></p></section>",
      escape(w.right), escape(w.not_here + reason(*next, decision)), escape(story.question(decision)),
      decision.options.size() > 4 ? " class=\"many\"" : "", answers);
}

}  // namespace callpath
