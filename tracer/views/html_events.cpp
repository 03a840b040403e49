#include "views/html_events.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "explain/names.hpp"
#include "explain/text.hpp"
#include "views/html_text.hpp"

namespace callpath {
namespace {

constexpr double width = 40, height = 60, edge = 5;

struct Point {
  double x, y;
};

Point point(const Story& story, std::size_t from_outer) {
  const auto n = story.rows.size();
  const auto& stage = story.rows[n - 1 - from_outer].stage;
  double step = n > 1 ? (height - 2 * edge) / static_cast<double>(n - 1) : 0;
  return {edge + static_cast<int>(stage.world) * (width - 2 * edge) / 3, edge + static_cast<double>(from_outer) * step};
}

std::string trigger(const Story& story) {
  const auto& event = *story.event;
  if (event.trigger.kind == "line" && story.from && !story.from->current.empty()) return story.from->current;
  if (const auto* subject = subject_of(event)) return subject->name + " " + subject->text;
  auto kind = in_language(event.trigger.kind, story.language);
  return event.trigger.spec.empty() ? kind : kind + " " + event.trigger.spec;
}

// Where the path comes from and where it ends; a path without a frame of the user's comes from its innermost Python frame.
std::string ends(const Story& story) {
  if (story.from) return story.from->place + (story.to ? " → " + story.to->place : "");
  for (const auto& frame : story.event->frames)
    if (frame.kind == Kind::python) return place(frame, *story.recording) + (story.to ? " → " + story.to->place : "");
  return story.to ? story.to->place : "";
}

}  // namespace

std::string fingerprint(const Story& story) {
  constexpr std::size_t most = 120;  // More cannot be told apart in 60 pixels.
  const auto n = story.rows.size();
  if (n == 0) return {};
  const auto stride = std::max<std::size_t>(1, n / most);
  std::string out;
  auto tone = [&](std::size_t at) { return to_string(story.rows[n - 1 - at].stage.tone); };
  auto at = point(story, 0);
  std::string path = fmt::format("M{:.1f} {:.1f}", at.x, at.y), now = tone(0);
  for (std::size_t i = stride; i < n; i += stride) {
    auto to = point(story, i);
    if (tone(i) != now) {
      out += fmt::format("<path class=\"line {}\" d=\"{}\"/>", now, path);
      path = fmt::format("M{:.1f} {:.1f}", at.x, at.y), now = tone(i);
    }
    path += fmt::format("L{:.1f} {:.1f}", to.x, to.y);
    at = to;
  }
  out += fmt::format("<path class=\"line {}\" d=\"{}\"/>", now, path);
  auto last = point(story, n - 1);
  return out + fmt::format("<circle class=\"end {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"/>", tone(n - 1), last.x, last.y);
}

void EventsList::add(const Story& story) {
  auto shape = fingerprint(story);
  auto [at, added] = shapes_.try_emplace(shape, shapes_.size() + 1);
  if (added) symbols_ += fmt::format("<symbol id=\"shape{}\" viewBox=\"0 0 40 60\">{}</symbol>", at->second, shape);
  ++count_;
  items_ += fmt::format(
      "<li><a href=\"#e{0}\"><svg width=\"40\" height=\"60\" aria-hidden=\"true\"><use href=\"#shape{1}\"/></svg><span><b>{0}</b> "
      "{2}<small "
      "class=\"m\">{3}</small></span></a></li>\n",
      count_, at->second, escape(shorten_middle(printable(trigger(story)), 80)), escape(shorten_middle(printable(ends(story)), 60)));
}

std::string EventsList::text(const Words& words, const std::string& tools) const {
  return fmt::format(
      "<svg width=\"0\" height=\"0\" class=\"shapes\" aria-hidden=\"true\">{}</svg>\n<nav class=\"events\" aria-label=\"{}\"><div "
      "class=\"head\"><h1>{}</h1>{}</div><ol>\n{}</ol></nav>\n",
      symbols_, words.events, words.events_count(static_cast<int>(count_)), tools, items_);
}

}  // namespace callpath
