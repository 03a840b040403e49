#include "cli/questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "explain/stages.hpp"

namespace callpath::cli {
namespace {

std::size_t frames_named(const Question& question, const Event& event) {
  const std::regex name(question.what);
  return static_cast<std::size_t>(std::count_if(event.frames.begin(), event.frames.end(), [&](const Frame& frame) {
    return (question.kind.empty() || to_string(frame.kind) == question.kind) && std::regex_search(frame.full, name);
  }));
}

/// The line at which the outermost frame of that name stands, and the next: a decorator stands above what it decorates.
std::optional<std::string> source_of(const Question& question, const Event& event) {
  const std::regex name(question.what);
  for (auto frame = event.frames.rbegin(); frame != event.frames.rend(); ++frame) {
    if (!std::regex_search(frame->full, name) || !frame->source || !frame->source->line || !frame->source->excerpt) continue;
    const auto& [first, lines] = *frame->source->excerpt;
    const auto at = static_cast<std::size_t>(*frame->source->line - first);
    if (at >= lines.size()) continue;
    return at + 1 < lines.size() ? lines[at] + "\n" + lines[at + 1] : lines[at];
  }
  return std::nullopt;
}

std::optional<long> number(const std::string& text) {
  char* end = nullptr;
  const long value = std::strtol(text.c_str(), &end, 10);
  return !text.empty() && !*end ? std::optional(value) : std::nullopt;
}

bool means(const std::string& option, const std::string& answer) {
  if (option == answer) return true;
  const auto count = number(answer);
  if (!count) return false;
  if (option == "yes") return *count > 0;
  if (option == "no") return *count == 0;
  const auto least = option.ends_with('+') ? number(option.substr(0, option.size() - 1)) : std::nullopt;
  return least && *count >= *least;
}

}  // namespace

std::optional<std::string> answer(const Question& question, const Recording& recording) {
  using enum Question::Asks;
  if (question.asks == events) return std::to_string(recording.events.size());
  const auto number = static_cast<std::size_t>(question.event);
  if (number < 1 || number > recording.events.size()) return std::nullopt;
  const auto& event = recording.events[number - 1];
  switch (question.asks) {
    case decision:
      for (const auto& decision : event.decisions)
        if (decision.id == question.what) return decision.taken;
      return std::nullopt;
    case fact:
      for (const auto& fact : event.facts)
        if (fact.name == question.what) return fact.text;
      return std::nullopt;
    case source:
      return source_of(question, event);
    case frames:
      return std::to_string(frames_named(question, event));
    default:
      return std::to_string(stages_of(event, recording).size());
  }
}

const Option* option_for(const Question& question, const std::string& answer) {
  for (const auto& option : question.options)
    if (option.value == answer) return &option;
  for (const auto& option : question.options) {
    const bool within = question.asks == Question::Asks::source && answer.find(option.value) != std::string::npos;
    if (within || means(option.value, answer)) return &option;
  }
  return nullptr;
}

}  // namespace callpath::cli
