#include "session/facts.hpp"

#include <fmt/format.h>

#include <set>

#include "core/error.hpp"

extern "C" const char callpath_facts_begin[], callpath_facts_end[];

namespace callpath::session {
namespace {

/// std::regex recurses once a character: a name of tens of kilobytes would exhaust the stack.
constexpr std::size_t longest_name = 4096;

}  // namespace

FactTable::FactTable(const std::string& json) {
  try {
    const auto table = nlohmann::json::parse(json);
    for (const auto& rule : table.at("rules")) {
      Rule parsed{std::regex(rule.at("function").get<std::string>(), std::regex::ECMAScript | std::regex::optimize), {}};
      for (const auto& fact : rule.at("facts"))
        parsed.facts.push_back({fact.at("name").get<std::string>(), fact.at("path").get<std::string>(), fact.value("unit", "")});
      rules_.push_back(std::move(parsed));
    }
  } catch (const std::exception& error) {
    throw Error(fmt::format("the table of facts is wrong in rule {}: {}", rules_.size() + 1, error.what()));
  }
}

const FactTable& FactTable::builtin() {
  static const FactTable table(std::string(callpath_facts_begin, callpath_facts_end));
  return table;
}

std::vector<Fact> FactTable::read(const std::string& full_name, Values& values, const Module& module, const RawFrame& frame,
                                  std::size_t depth, int index) const {
  std::vector<Fact> facts;
  if (full_name.size() > longest_name) return facts;
  for (const auto& rule : rules_) {
    if (!std::regex_search(full_name, rule.function)) continue;
    std::set<std::string> read;  // Of several paths of one name the first that can be read counts.
    for (const auto& entry : rule.facts) {
      if (read.count(entry.name)) continue;
      auto found = values.evaluate(module, frame, depth, entry.path);
      if (!found || found->value.is_null()) continue;
      read.insert(entry.name);
      facts.push_back({entry.name, found->value, found->text, entry.unit, index, found->how});
    }
  }
  return facts;
}

}  // namespace callpath::session
