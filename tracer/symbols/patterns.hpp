// Matching functions by what a user writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "symbols/name_parts.hpp"

namespace callpath::dw {

/// `*` and `?` match as in a shell, over the whole text; everything else is literal (names contain brackets).
bool glob_matches(std::string_view pattern, std::string_view text);

class NamePattern {
 public:
  explicit NamePattern(std::string pattern);

  /// False if a symbol of this mangled name cannot match; cheap, so that most symbols are never demangled.
  bool may_match(std::string_view mangled) const { return needle_.empty() || mangled.find(needle_) != mangled.npos; }

  /// `full` is a demangled name. With wildcards: the short name, the qualified name, or the full name from any of its scopes on. Without:
  /// the last components; template arguments and parameters count where the pattern has them; anonymous namespaces may be left out.
  bool matches(std::string_view full) const;

 private:
  bool exact(const std::vector<NamePart>& parts) const;

  std::string pattern_;
  bool wild_;
  std::string needle_;  ///< An identifier that every matching mangled name contains; may be empty.
};

}  // namespace callpath::dw
