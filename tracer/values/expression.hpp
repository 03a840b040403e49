// DWARF location expressions and location lists.
#pragma once

#include "core/module.hpp"
#include "core/raw_stack.hpp"
#include "values/object.hpp"

namespace callpath::dw {

/// What an expression may ask for. `vectors` is set for the innermost frame only.
struct FrameContext {
  const Module& module;
  const RawFrame& frame;
  const Memory& memory;
  const VectorRegisters* vectors;
  std::optional<Die> function;  ///< The physical function: its DW_AT_frame_base serves the functions inlined into it, too.

  std::uint64_t pc() const { return module.offset(frame.lookup()).value; }
};

/// Where a variable (or parameter) is while the frame stands where it stands; the object has the variable's type.
Found locate(const FrameContext&, Die variable);

}  // namespace callpath::dw
