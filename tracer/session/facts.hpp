// Facts by table (data/facts.json): which argument or local of which function says what.
#pragma once

#include <string>
#include <vector>

#include "core/module.hpp"
#include "record/record.hpp"
#include "values/values.hpp"

namespace callpath::session {

/// Facts of the function at position `depth` of a frame, whose place in the event will be `index`, as the producer reads them: annotate
/// says what numbers mean. A path that cannot be read is no fact. Throws Error only if the table that was built in is broken.
std::vector<Fact> read_facts(const std::string& full_name, Values&, const Module&, const RawFrame&, std::size_t depth, int index);

}  // namespace callpath::session
