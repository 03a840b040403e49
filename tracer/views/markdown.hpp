// A path as Markdown, in GitHub's flavour: for issues, wikis and pull requests. Pure.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "views/html.hpp"

namespace callpath {

/// All events: stages as a table, then each with its source, facts and note, then every frame. Throws Error for a recording without events.
void write_markdown(std::ostream&, const Recording&, const HtmlOptions&);

/// A code span that shows exactly `text` (its printable form), also in a cell of a table: pipes are escaped, backticks fenced in by more
/// backticks. Empty for empty text.
std::string markdown_code(std::string_view text);

/// Text in which nothing is markup.
std::string markdown_text(std::string_view text);

}  // namespace callpath
