#include "session/facts.hpp"

#include <algorithm>

#include "annotate/rules.hpp"
#include "annotate/tables.hpp"

namespace callpath::session {
namespace {

const std::vector<Pattern>& functions() {
  static const std::vector<Pattern> patterns = [] {
    std::vector<Pattern> all;
    for (const auto& rule : fact_rules()) all.emplace_back(rule.function);
    return all;
  }();
  return patterns;
}

bool has(const std::vector<Fact>& facts, std::size_t from, const std::string& name) {
  return std::any_of(facts.begin() + static_cast<std::ptrdiff_t>(from), facts.end(), [&](const Fact& f) { return f.name == name; });
}

}  // namespace

std::vector<Fact> read_facts(const std::string& full_name, Values& values, const Module& module, const RawFrame& frame, std::size_t depth,
                             int index) {
  std::vector<Fact> facts;
  for (std::size_t rule = 0; rule < fact_rules().size(); ++rule) {
    if (!functions()[rule].found_in(full_name)) continue;
    const std::size_t first = facts.size();
    for (const auto& entry : fact_rules()[rule].facts) {
      if (has(facts, first, entry.name)) continue;  // of several paths of one name the first that can be read counts
      const auto found = values.evaluate(module, frame, depth, entry.path);
      if (found && !found->value.is_null()) facts.push_back({entry.name, found->value, found->text, entry.unit, index, found->how});
    }
  }
  return facts;
}

}  // namespace callpath::session
