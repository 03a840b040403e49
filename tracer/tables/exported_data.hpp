// Functions that data with a symbol points to.
#pragma once

#include <optional>

#include "symbols/symbols.hpp"
#include "tables/reading.hpp"

namespace callpath::tables {

/// What the symbols around a word say of the function that it points to; nothing if no symbol covers the word. A DispatchStub's member is a
/// kernel of that stub, a word in a vtable a virtual function of that class or of a base.
std::optional<Reading> read_exported(Symbols&, const Module&, Address word);

}  // namespace callpath::tables
