// A lesson's text in steps: lesson.md and lesson.zh.md, as walkthroughs/README.md describes them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace callpath::cli {

struct Step {
  std::string kind;              ///< guess, run, look, why, vary or transfer.
  std::string title, text;       ///< text: Markdown without the gdb blocks.
  std::vector<std::string> gdb;  ///< Plain gdb commands.
};

struct Lesson {
  std::string title, introduction;
  std::vector<Step> steps;
};

/// Throws Error for a file that cannot be read, a heading of no known kind, a block that does not end.
Lesson read_lesson(const std::filesystem::path&);

}  // namespace callpath::cli
