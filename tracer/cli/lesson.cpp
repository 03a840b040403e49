#include "cli/lesson.hpp"

#include <fmt/format.h>

#include <fstream>

#include "core/error.hpp"

namespace callpath::cli {
namespace {

constexpr std::pair<const char*, const char*> kinds[] = {
    {"Guess", "guess"}, {"Run", "run"},  {"Look", "look"}, {"Why", "why"},    {"Vary", "vary"}, {"Transfer", "transfer"},
    {"猜", "guess"},    {"运行", "run"}, {"看", "look"},   {"为什么", "why"}, {"变化", "vary"}, {"迁移", "transfer"},
};

struct Cursor {
  const std::filesystem::path& file;
  int line = 0;
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}:{}: {}", file.string(), line, what), "walkthroughs/README.md says what a lesson holds.");
  }
};

Step begin_step(const std::string& heading, const Cursor& at) {
  for (const auto& [word, kind] : kinds)
    for (const std::string colon : {": ", "："})
      if (const auto start = word + colon; heading.starts_with(start)) return {kind, heading.substr(start.size()), {}, {}};
  at.fail(fmt::format("'## {}' does not begin with the kind of a step and a colon", heading));
}

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of('\n');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of('\n') + 1 - begin) + "\n";
}

}  // namespace

Lesson read_lesson(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw Error(fmt::format("cannot read {}", file.string()));
  Lesson lesson;
  Cursor at{file};
  enum class Block { none, code, gdb } block = Block::none;
  for (std::string line; std::getline(in, line);) {
    ++at.line;
    std::string& text = lesson.steps.empty() ? lesson.introduction : lesson.steps.back().text;
    const bool fence = line.starts_with("```");
    if (fence && line == "```gdb" && block == Block::none && !lesson.steps.empty())
      block = Block::gdb;
    else if (fence && block == Block::gdb)
      block = Block::none;
    else if (block == Block::gdb)
      lesson.steps.back().gdb.push_back(line);
    else if (block == Block::none && line.starts_with("## "))
      lesson.steps.push_back(begin_step(line.substr(3), at));
    else if (block == Block::none && line.starts_with("# ") && lesson.steps.empty())
      lesson.title = line.substr(2);
    else {
      text += line + '\n';
      if (fence) block = block == Block::none ? Block::code : Block::none;
    }
  }
  if (block != Block::none) at.fail("a block that began with ``` does not end");
  lesson.introduction = trimmed(lesson.introduction);
  for (auto& step : lesson.steps) step.text = trimmed(step.text);
  return lesson;
}

}  // namespace callpath::cli
