// "Did you mean": the known word most like a mistyped one.
#pragma once

#include <string>
#include <vector>

namespace callpath::cli {

/// The candidate with the smallest edit distance, where that is at most a third of the word's length plus one; else empty.
std::string nearest_word(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace callpath::cli
