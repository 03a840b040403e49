// DWARF location expressions and location lists.
#pragma once

#include "core/module.hpp"
#include "core/raw_stack.hpp"
#include "values/object.hpp"

namespace callpath::dw {

class ModuleState;
struct FrameContext;

/// Gives the frame that called a frame, where the stack is known.
class Callers {
 public:
  virtual ~Callers() = default;
  virtual std::optional<FrameContext> caller_of(const FrameContext&) const = 0;
};

/// What an expression may ask for. `vectors` is set for the innermost frame only.
struct FrameContext {
  ModuleState& state;
  const Module& module;
  const RawFrame& frame;
  const Memory& memory;
  const VectorRegisters* vectors;
  std::optional<Die> function;  ///< The physical function: its DW_AT_frame_base serves the functions inlined into it, too.
  const Callers* callers = nullptr;
  int depth = 0;  ///< How many callers were already asked.

  std::uint64_t pc() const { return module.offset(frame.lookup()).value; }
};

/// Where a variable (or parameter) is while the frame stands where it stands; the object has the variable's type.
Found locate(const FrameContext&, Die variable);

/// What a register held when the frame's function was entered, by what its caller's call site says; nothing if that is not known, or if the
/// function was reached by a jump from the one that was called.
std::optional<std::uint64_t> value_at_entry(const FrameContext&, std::uint64_t register_number);

/// The number an attribute's expression computes; nothing if it cannot.
std::optional<std::uint64_t> compute(const FrameContext&, Dwarf_Attribute expression);

}  // namespace callpath::dw
