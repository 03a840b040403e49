// What the user asked to stop at, as places in the loaded files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/module.hpp"
#include "symbols/symbols.hpp"

namespace callpath::session {

/// "FILE:LINE", an address ("0x4f9e60", "libtorch_cpu.so+0x4aaa510"), or a function's name or glob.
struct TargetSpec {
  std::string text, pattern, file, module;
  int line = 0;                          ///< 0: no line.
  std::optional<std::uint64_t> address;  ///< In the module, as its own file counts and records show it; without a module, at run time.

  /// Throws Error for an empty text and for lines of Python files, which no native probe can be set on.
  static TargetSpec parse(const std::string& text);
};

/// Where a probe goes, and the function whose variables can tell beforehand whether it is worth setting.
struct Place {
  Address address;
  FoundFunction function;
  std::optional<Address> gate;  ///< After the prologue of the function that defines the lambda.
};

struct PlaceOptions {
  bool gates = false;   ///< Look for the functions that define lambdas.
  bool copies = false;  ///< A function's inlined copies, too.
};

/// The places of a target in one file.
std::vector<Place> find_places(Symbols&, const Module&, const TargetSpec&, PlaceOptions);

}  // namespace callpath::session
