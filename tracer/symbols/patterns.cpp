#include "symbols/patterns.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace callpath::dw {
namespace {

bool is_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Words that a mangled name spells otherwise ("std" is "St", "float" is "f").
bool is_compressed(std::string_view word) {
  static constexpr std::array<std::string_view, 32> words = {
      "std",           "allocator",     "basic_string",   "string",      "istream",  "ostream", "iostream",
      "basic_istream", "basic_ostream", "basic_iostream", "char_traits", "bool",     "char",    "short",
      "int",           "long",          "float",          "double",      "unsigned", "signed",  "void",
      "const",         "auto",          "lambda",         "operator",    "new",      "delete",  "anonymous",
      "volatile",      "decltype",      "unnamed",        "namespace"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The longest identifier (or piece of one, next to a wildcard) outside of template arguments and parameters.
std::string find_needle(std::string_view pattern) {
  std::string_view best;
  for (std::size_t i = 0; i < pattern.size();) {
    if (!is_identifier(pattern[i])) {
      ++i;
      continue;
    }
    auto end = i;
    while (end < pattern.size() && is_identifier(pattern[end])) ++end;
    const auto word = pattern.substr(i, end - i);
    const bool piece = (i > 0 && (pattern[i - 1] == '*' || pattern[i - 1] == '?')) ||
                       (end < pattern.size() && (pattern[end] == '*' || pattern[end] == '?'));
    // A piece could be part of a word that is spelled otherwise, so it must be long enough not to be.
    const bool usable = piece ? word.size() > 14 || word.find('_') != word.npos : !is_compressed(word);
    if (usable && !std::isdigit(static_cast<unsigned char>(word[0])) && word.size() > best.size()) best = word;
    i = end;
  }
  static constexpr std::array<std::string_view, 4> underscored = {"basic_", "char_", "_traits", "co_await"};
  for (auto u : underscored)
    if (best.find(u) != best.npos) return {};
  return std::string(best);
}

/// The star of "operator*" belongs to a name; any other, such as the one in "operator()(*) const", is a wildcard.
bool has_wildcard(std::string_view pattern) {
  for (std::size_t i = 0; i < pattern.size();) {
    if (pattern[i] == '*' || pattern[i] == '?') return true;
    i += std::max<std::size_t>(1, operator_length(pattern, i));
  }
  return false;
}

std::string without_spaces(std::string_view s) {
  std::string text;
  std::copy_if(s.begin(), s.end(), std::back_inserter(text), [](char c) { return c != ' '; });
  return text;
}

bool part_matches(const NamePart& wanted, const NamePart& given) {
  if (wanted.text.find('<') != wanted.text.npos && wanted.base.find("operator") != 0 && wanted.text.size() != wanted.base.size())
    return without_spaces(wanted.text) == without_spaces(given.text) &&
           (wanted.parameters.empty() || without_spaces(wanted.parameters) == without_spaces(given.parameters));
  return wanted.base == given.base && (wanted.parameters.empty() || without_spaces(wanted.parameters) == without_spaces(given.parameters));
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = pattern.npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || (pattern[p] == text[t] && pattern[p] != '*'))) {
      ++p, ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

NamePattern::NamePattern(std::string pattern)
    : pattern_(std::move(pattern)), wild_(has_wildcard(pattern_)), needle_(find_needle(pattern_)) {}

bool NamePattern::matches(std::string_view full) const {
  const auto parts = name_parts(full);
  if (parts.empty()) return false;
  if (!wild_) return pattern_ == full || exact(parts);
  if (glob_matches(pattern_, dw::short_name(parts)) || glob_matches(pattern_, qualified_name(parts)) || glob_matches(pattern_, full))
    return true;
  return std::any_of(parts.begin(), parts.end(), [&](const NamePart& p) {
    return glob_matches(pattern_, full.substr(static_cast<std::size_t>(p.text.data() - full.data())));
  });
}

bool NamePattern::exact(const std::vector<NamePart>& parts) const {
  if (pattern_ == dw::short_name(parts)) return true;
  const auto wanted = name_parts(pattern_);
  auto given = parts.rbegin();
  for (auto w = wanted.rbegin(); w != wanted.rend(); ++w) {
    while (given != parts.rend() && given->is_anonymous_namespace() && !w->is_anonymous_namespace()) ++given;
    if (given == parts.rend() || !part_matches(*w, *given)) return false;
    ++given;
  }
  return !wanted.empty();
}

}  // namespace callpath::dw
