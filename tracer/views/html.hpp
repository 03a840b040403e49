// A path as a page: one file that stands alone. Pure.
#pragma once

#include <iosfwd>
#include <set>
#include <string>
#include <vector>

#include "record/record.hpp"
#include "views/terminal.hpp"

namespace callpath {

struct HtmlOptions {
  std::string language = "en";
  std::string title;                                 ///< Of the page; empty: from which line to which.
  std::string verdict;                               ///< Beside the totals: "gdb and in-process routes agree"; may be empty.
  std::vector<ByHand> by_hand_stages;                ///< As for the terminal.
  bool present = false;                              ///< Begins as `?present` does: one stage a step.
  const std::set<const Fact*>* differing = nullptr;  ///< Facts that a comparison marks; may be null.
  const Notes* notes = nullptr;                      ///< The built-in catalogue if not given.
};

/// All events, UTF-8. Complete without script; nothing is loaded from elsewhere. Throws Error for a recording without events.
/// Written event by event.
void write_html(std::ostream&, const Recording&, const HtmlOptions&);
std::string html(const Recording&, const HtmlOptions&);

}  // namespace callpath
