// When a hit counts: comparisons of variables, `exp == 3 && iter.ndim_ == 1`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "values/values.hpp"

namespace callpath::session {

/// Looks a variable path up; nothing with the reason if it is not there.
using LookUp = std::function<std::optional<Evaluated>(const std::string& path, std::string* why_not)>;

class Condition {
 public:
  enum class Operator { equal, not_equal, less, less_equal, greater, greater_equal };
  enum class Answer { yes, no, unknown };  ///< unknown: a variable that the answer needs is not there.

  /// Comparisons `PATH OP LITERAL` joined by && and || (&& binds closer); a literal is a number, true, false or a string in quotes. The
  /// empty text is the condition that always holds. Throws Error naming the place in the text.
  static Condition parse(const std::string& text);

  /// `why_not` is told which variable was missing.
  Answer holds(const LookUp&, std::string* why_not = nullptr) const;

  bool always() const { return any_of_.empty(); }
  const std::string& text() const { return text_; }

 private:
  struct Comparison {
    std::string path;
    Operator op = Operator::equal;
    nlohmann::json literal;
  };
  static Answer compare(const Comparison&, const LookUp&, std::string* why_not);
  friend class ConditionParser;

  std::string text_;
  std::vector<std::vector<Comparison>> any_of_;  ///< Each inner list: all of them.
};

}  // namespace callpath::session
