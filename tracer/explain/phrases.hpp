// Texts that a record has in English, in the reader's language: questions, how facts were read, why something is missing.
#pragma once

#include <string>
#include <string_view>

namespace callpath {

/// The text in that language by data/phrases.toml; the text itself where no phrase fits, or for English. Values, names and code inside of
/// it stay as they are.
std::string in_language(std::string_view text, std::string_view language);

}  // namespace callpath
