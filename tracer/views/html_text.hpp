// Text into HTML: everything that comes from a record passes through here.
#pragma once

#include <string>
#include <string_view>

namespace callpath {

/// Printable, with & < > " ' escaped: safe as text and in quoted attributes.
std::string escape(std::string_view text);

/// Escaped, with <wbr> where a name may go on in the next line: after `::`, `<`, `>`, `,` and `/`, not within a word.
std::string breakable(std::string_view text);

/// A path that may stand in href: relative, no scheme, nothing to escape; empty if it may not.
std::string safe_link(std::string_view path);

/// The page of a record: "a.json" -> "a.html". Reports of one folder lie side by side.
std::string page_beside(std::string record);

/// Notes write code between backticks.
std::string prose(std::string_view text);

}  // namespace callpath
