// Facts by table (data/facts.json): which argument or local of which function says what.
#pragma once

#include <regex>
#include <string>
#include <vector>

#include "core/module.hpp"
#include "record/record.hpp"
#include "values/values.hpp"

namespace callpath::session {

class FactTable {
 public:
  /// From JSON as data/facts.json has it. Throws Error naming the rule that is wrong.
  explicit FactTable(const std::string& json);

  /// The table that was built in.
  static const FactTable& builtin();

  /// Facts of the function at position `depth` of a frame, whose place in the event will be `index`. A path that cannot be read is no fact.
  std::vector<Fact> read(const std::string& full_name, Values&, const Module&, const RawFrame&, std::size_t depth, int index) const;

 private:
  struct Entry {
    std::string name, path, unit;
  };
  struct Rule {
    std::regex function;
    std::vector<Entry> facts;
  };
  std::vector<Rule> rules_;
};

}  // namespace callpath::session
