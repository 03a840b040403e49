// What is said about a stage: notes of data/notes_*.toml, chosen by rules and filled from the record.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explain/stages.hpp"

namespace callpath {

/// The words of a note in one language. Facts stand in braces until they are filled.
struct NoteText {
  std::string title, sentence, text, otherwise, tell;
  // sentence: stands in the row, true when read alone. otherwise: what would have been different. tell: its part of the path told in a few
  // sentences.
};

struct Condition {
  std::string key;  ///< A word of the catalogue (layer, function, ...) or the name of a fact.
  nlohmann::json value;
};

struct Note {
  std::string id;
  std::vector<Condition> when;
  NoteText en, zh;  ///< zh may be empty: then English is shown.
};

class Notes {
 public:
  /// The catalogue that is built in. Throws Error if it cannot be read (a fault of the build, not of a user).
  static const Notes& built_in();

  /// Reads a catalogue; `where` names it in errors. Throws Error for text that is not TOML, unknown members, patterns that are none, layers
  /// that there are not, notes without id or English sentence.
  static Notes parse(std::string_view toml, const std::string& where);

  /// These notes first, then the others: the first that fits is told.
  Notes before(const Notes& others) const;

  const std::vector<Note>& all() const { return notes_; }

 private:
  std::vector<Note> notes_;
};

/// A note that matched, filled.
struct Told {
  std::string id;
  NoteText text;
  std::size_t key = 0;  ///< The frame that the note names.
};

/// The first note of the catalogue whose conditions hold for stage `at` and whose braces can all be filled from the record. If none does (a
/// catalogue without a note for the layer) the text is empty.
Told tell(const Notes&, const Recording&, const Event&, const std::vector<Stage>&, std::size_t at, std::string_view language);

/// Fills "{strides[1]}" and the like from facts, then arguments of the key frame; nothing if something is not in the record.
std::optional<std::string> fill(std::string_view text, const Recording&, const Event&, const Stage&, std::size_t key);

}  // namespace callpath
