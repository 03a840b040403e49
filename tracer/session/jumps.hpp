// By which jumps a function can leave, read from its machine code.
#pragma once

#include <optional>
#include <vector>

#include "core/memory.hpp"
#include "core/module.hpp"
#include "symbols/symbols.hpp"

namespace callpath::session {

struct LeavingJump {
  Address at;
  std::optional<Address> target;  ///< Nothing where a register or memory decides.
};

/// Jumps out of the function that begins at `entry`, in order of their addresses; those inside it and through a switch's table are none.
/// Empty if the code cannot be read or decoded.
std::vector<LeavingJump> leaving_jumps(Symbols&, const Module&, const Memory&, Address entry);

}  // namespace callpath::session
