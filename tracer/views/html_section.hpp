// One event of a page: its two ends, the rows with their details, what lacks debug information.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "views/html.hpp"

namespace callpath {

/// Details that a page has already, by what they say: a later event that has the same one links to it, so that a thousand events of one
/// path are not a thousand times as long.
class SaidDetails {
 public:
  /// The id of the row that has this detail, or nothing, and then `row` is remembered as having it.
  std::string find_or_add(const std::string& detail, const std::string& row);

 private:
  std::map<std::pair<std::size_t, std::size_t>, std::string> rows_;
};

/// The section of event `number` (from 0); `many` if the page has others: then ids begin with "e3-", and `said` is used.
std::string html_section(const Story&, const HtmlOptions&, std::size_t number, bool many, SaidDetails& said);

/// Buttons and the search field.
std::string html_tools(const Words&);

/// "47 C and C++ frames, 2 Python frames · CPython 3.11.2 · …", escaped.
std::string html_totals(const Story&, const std::string& verdict);

/// One end of the path, with its operations marked. `kind` is "from" or "to".
std::string html_end(const End&, const std::string& kind, const std::string& label, const std::string& tone);

/// The row's summary element: line, numbers, layer, function, decision, sentence. `above` is the row above it (the caller's), or null.
std::string html_summary(const Story&, const Row&, const Row* above);

}  // namespace callpath
