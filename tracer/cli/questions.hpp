// Questions of a lesson and their answers, which are computed from recordings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/record.hpp"

namespace callpath::cli {

/// In English and Chinese; what has no Chinese is shown in English.
struct Text {
  std::string en, zh;
  const std::string& in(const std::string& language) const { return language == "zh" && !zh.empty() ? zh : en; }
};

struct Option {
  std::string value;  ///< As the answer is computed; or "yes", "no", "4+" for counts.
  Text text;
  std::string variant;  ///< In which this is the answer; may be empty.
};

struct Question {
  enum class Asks { decision, fact, frames, stages, events, source };
  int step = 0;  ///< From 1; 0 for transfer lines.
  Text ask;
  std::string of;    ///< The variant whose recording answers; empty: the walkthrough's own.
  std::string line;  ///< Of transfer: the line to run instead.
  Asks asks = Asks::decision;
  std::string what;  ///< Id, name or regular expression.
  std::string kind;  ///< Of frames that count; empty: any.
  int event = 1;     ///< Which event of the recording, from 1.
  std::vector<Option> options;
};

/// What the recording says: an option taken, a fact's text, a number, the lines at which a frame stands. Nothing if it has no such decision
/// or fact. A recording without events (the stop was not reached) answers only how many events there are.
std::optional<std::string> answer(const Question&, const Recording&);

/// The option that an answer means; null if it is none of them.
const Option* option_for(const Question&, const std::string& answer);

}  // namespace callpath::cli
