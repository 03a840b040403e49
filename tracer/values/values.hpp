// Arguments, locals and member paths of a native frame, through DWARF. Reads memory, never runs code of the program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/memory.hpp"
#include "core/raw_stack.hpp"
#include "symbols/symbols.hpp"

namespace callpath {

/// A value read along a path, with what facts need: its text as gdb prints it and its number where it is one.
struct Evaluated {
  std::string type;
  std::string text;
  nlohmann::json value;               ///< Number, bool, string, array; null for a struct or pointer without a simple form.
  std::string how;                    ///< "argument exp", "local strides", "argument self, member impl_->key_set".
  std::optional<std::uint64_t> bits;  ///< Of an integer, enumeration or pointer.
};

class Values {
 public:
  Values(Symbols& symbols, const Memory& memory, const VectorRegisters* innermost = nullptr);

  /// Lets parameters whose register was reused be recovered from what the callers' call sites say, as gdb does. Both must outlive this
  /// object; frames are found in the stack by their pc and sp.
  void use_callers(const RawStack& stack, const std::vector<Module>& modules);

  /// Arguments and locals of the function at position `depth` of the inlined chain (0 innermost) at a frame.
  /// A value that is gone has reason "optimised out", never a number.
  std::vector<Value> arguments(const Module&, const RawFrame&, std::size_t depth);
  std::vector<Value> locals(const Module&, const RawFrame&, std::size_t depth);

  /// A path from an argument or local (also `this`, its members and a lambda's captures by their own names): name, then .member or ->member
  /// (through references, pointers and base classes) and [index] in any order, and at the end perhaps [*count], the count a number or a
  /// path. "exp", "iter.ndim_", "strides[0]", "strides[*2]" (an array of two). Nothing, with the reason, if any step is not there.
  std::optional<Evaluated> evaluate(const Module&, const RawFrame&, std::size_t depth, const std::string& path,
                                    std::string* why_not = nullptr);

  /// Template arguments of the function at that position, or of the classes and functions around it, "scalar_t" -> "float"; types and
  /// values by parameter name.
  std::optional<std::string> template_argument(const Module&, const RawFrame&, std::size_t depth, const std::string& name);

 private:
  struct Access;
  const VectorRegisters* vectors_of(const RawFrame&) const;
  Symbols& symbols_;
  const Memory& memory_;
  const VectorRegisters* innermost_;
  mutable std::optional<Address> innermost_sp_;
  const RawStack* stack_ = nullptr;
  const std::vector<Module>* modules_ = nullptr;
};

}  // namespace callpath
