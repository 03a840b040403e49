// Every walkthrough at once, and the answers of one.
#pragma once

#include <filesystem>
#include <string>

#include "cli/command.hpp"

namespace callpath::cli {

struct AllRequest {
  std::filesystem::path out;
  std::string python, language, route;
};

/// Takes every walkthrough with its variants and writes all reports and index.html. One that cannot run here is shown from its checked
/// recordings, and the index says so. The exit code is that of the worst.
int walk_all(const AllRequest&, const Context&);

struct AnswersRequest {
  std::string number, python, language;
};

/// Runs what the questions and the transfer lines of a walkthrough are about and prints each with its answer. Fails if an answer is none of
/// a question's options.
int print_answers(const AnswersRequest&, const Context&);

}  // namespace callpath::cli
