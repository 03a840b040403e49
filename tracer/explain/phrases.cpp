#include "explain/phrases.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <regex>
#include <vector>

#include "core/error.hpp"
#include "explain/embedded.hpp"

namespace callpath {
namespace {

struct Phrase {
  std::regex en;
  std::string zh;  // $1 is the first group.
};

std::vector<Phrase> read_phrases() {
  std::vector<Phrase> out;
  try {
    auto table = toml::parse(embedded::phrases(), std::string_view("phrases.toml"));
    if (const auto* list = table["phrase"].as_array())
      for (const auto& node : *list)
        if (const auto* pair = node.as_array(); pair && pair->size() == 2)
          out.push_back({std::regex(pair->get(0)->value_or(std::string())), pair->get(1)->value_or(std::string())});
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("phrases.toml: {}", error.description()));
  }
  return out;
}

}  // namespace

std::string in_language(std::string_view text, std::string_view language) {
  constexpr std::size_t longest = 2000;  // std::regex recurses with the text's length.
  if (language != "zh" || text.empty() || text.size() > longest) return std::string(text);
  static const auto phrases = read_phrases();
  std::string whole(text);
  std::smatch match;
  for (const auto& phrase : phrases)
    if (std::regex_match(whole, match, phrase.en)) return match.format(phrase.zh);
  return whole;
}

}  // namespace callpath
