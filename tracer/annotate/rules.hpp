// Patterns of the tables, for annotate/ and for what reads facts by them.
#pragma once

#include <optional>
#include <regex>
#include <string>
#include <string_view>

namespace callpath {

/// An ECMAScript expression that is searched, or nothing, which is found everywhere. Subjects longer than 4,096 characters are cut: the
/// library's matcher recurses.
class Pattern {
 public:
  Pattern() = default;
  explicit Pattern(std::string_view expression) : expression_(std::regex(expression.begin(), expression.end(), std::regex::ECMAScript)) {}
  bool found_in(std::string_view subject) const {
    if (!expression_) return true;
    subject = subject.substr(0, 4096);
    return std::regex_search(subject.begin(), subject.end(), *expression_);
  }

 private:
  std::optional<std::regex> expression_;
};

}  // namespace callpath
