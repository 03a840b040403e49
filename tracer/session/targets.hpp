// What the user asked to stop at, as places in the loaded files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/module.hpp"
#include "symbols/symbols.hpp"

namespace callpath::session {

/// "FILE:LINE" or a function's name or glob.
struct TargetSpec {
  std::string text, pattern, file;
  int line = 0;  ///< 0: a function.

  /// Throws Error for an empty text and for lines of Python files, which no native probe can be set on.
  static TargetSpec parse(const std::string& text);
};

/// Where a probe goes, and the function whose variables can tell beforehand whether it is worth setting.
struct Place {
  Address address;
  FoundFunction function;
  std::optional<Address> gate;  ///< After the prologue of the function that defines the lambda.
};

/// The places of a target in one file. Gates are looked for only if `with_gates`.
std::vector<Place> find_places(Symbols&, const Module&, const TargetSpec&, bool with_gates);

}  // namespace callpath::session
