// A function's machine code: its extent, from the unwind tables, and the places where control may leave it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/memory.hpp"
#include "session/modules.hpp"
#include "session/probes.hpp"

namespace callpath::session {

/// Finds the function around an address through `.eh_frame_hdr`'s table, in the program's memory: no symbol is needed.
std::optional<AddressRange> function_around(const Memory&, const capture::ModuleRange&, Address);

/// A call, or a jump out of the function.
struct Exit {
  Address at;
  bool jumps = false;
  std::optional<Address> target;  ///< Nothing where a register or memory decides.
};

struct FunctionCode {
  std::vector<Exit> exits;
  std::string problem;  ///< Why the exits are not told; empty if they are.
};

/// Decodes a function from its beginning to its end. What does not look like code throughout (a jump into the middle of an instruction,
/// bytes that are none) is a problem and yields no exits: a breakpoint in what is data would change the program. Jumps through a switch's
/// table are no exits as far as they can be told.
FunctionCode read_function(const Memory&, AddressRange);

/// Whether an instruction of a function begins there.
bool begins_instruction(const Memory&, AddressRange, Address);

/// What a call to this address runs.
struct Linked {
  Address target;
  bool unbound = false;  ///< An entry of the procedure linkage table whose function the loader has still to find.
  Address resolver;      ///< If unbound: the loader's function that finds it and jumps there.
};
Linked follow_linkage(const Memory&, Address);

}  // namespace callpath::session
