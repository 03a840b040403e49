// An event made ready to be shown: what every view says, so that no two views say it differently.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explain/notes.hpp"
#include "explain/phrases.hpp"
#include "explain/stages.hpp"
#include "explain/words.hpp"

namespace callpath {

/// An operation's place in a shown line of code: byte offsets into it, and "returned", "current" or "pending".
struct Mark {
  std::size_t begin = 0, end = 0;
  std::string state;
};

/// One end of the path: a place and its line of code.
struct End {
  std::string place, code;
  std::vector<Mark> marks;  ///< Not overlapping, in order.
  std::string state;        ///< Under the line: what has returned (see Words::state), or the value.
  std::string current;      ///< Of a Python line: the operation that is on the stack, as it is written there.
};

/// A decision as a row shows it.
struct Choice {
  std::string label;
  std::vector<std::string> options;  ///< Shortened to what fits; "…" stands for options left out.
  std::size_t taken = 0;
};

struct Row {
  Stage stage;
  Told note;
  std::string name, place, confidence, sentence;  ///< confidence: a word, empty when exact.
  bool code_sentence = false;                     ///< The sentence is a line of source.
  std::optional<Choice> choice;
  std::vector<const Decision*> decisions;  ///< All of the stage.
  const Decision* asked = nullptr;         ///< The one that the row shows, if it shows one.
  std::vector<const Fact*> facts;          ///< Those of the stage and those its decisions rest on.
};

struct Totals {
  int native = 0, python = 0, elided = 0;
};

/// Points into the recording, which must outlive it.
struct Story {
  const Recording* recording = nullptr;
  const Event* event = nullptr;
  std::string language;
  std::vector<Row> rows;  ///< Innermost first.
  std::optional<End> from, to;
  Totals totals;
  const Words& words() const { return callpath::words(language); }
  std::string question(const Decision& decision) const { return in_language(decision.question, language); }
};

Story story_of(const Recording&, std::size_t event, std::string_view language, const Notes& = Notes::built_in());

/// "overridden? yes [no]"
std::string to_string(const Choice&);

/// At most `limit` columns with the brackets: the label goes first, then options far from the taken one, then the middle of the taken one.
Choice choice_of(const Decision&, int limit = 24, std::string_view language = "en");

/// What an event of Python's own is about (the class, the code object, the module, the audit event): the fact of the innermost frame that is named
/// like the event's kind. Null for probes.
const Fact* subject_of(const Event&);

/// "PowKernel.cpp" line of a frame's excerpt, without indentation; empty if the record has none.
std::string source_line(const Frame&);

}  // namespace callpath
