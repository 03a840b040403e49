// Which functions refer to a function from their code.
#pragma once

#include <optional>
#include <vector>

#include "core/memory.hpp"
#include "tables/functions.hpp"

namespace callpath::tables {

struct Referrer {
  Address function;    ///< Its first instruction.
  bool calls = false;  ///< By a call or a jump; else its code takes the address.
};

/// Functions of the same file whose decoded code calls, jumps to or takes the address of `target`. Nothing if the file has more code than
/// is searched, which would take too long.
std::optional<std::vector<Referrer>> referrers_of(Address target, const Module&, const Memory&, FunctionExtents&);

}  // namespace callpath::tables
