// What becomes of the instruction that a probe stands on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/protocol.hpp"
#include "core/address.hpp"
#include "core/error.hpp"

namespace callpath::session {

/// No probe can be set at this place; another of the same pattern may do.
class CannotProbe : public Error {
 public:
  using Error::Error;
};

/// How to go on behind a probe, in the terms of agent::Probe, and the code to be put at the slot (empty if the instruction is emulated).
struct Displaced {
  agent::Resume kind = agent::Resume::copy;
  std::uint32_t condition = 0, pop = 0;
  std::uint64_t target = 0, next = 0;
  agent::Operand operand;
  std::vector<std::uint8_t> code;  ///< Position-dependent: for `slot` only.
};

constexpr std::size_t slot_size = 32;
constexpr std::size_t instruction_limit = 15;

/// Decodes the instruction at `address` from its bytes (up to 15, fewer at the end of the text) and prepares its copy for `slot`, which
/// must lie within 2 GB of it. Throws CannotProbe with the reason for instructions that can neither be moved nor emulated.
Displaced displace(const std::uint8_t* bytes, std::size_t size, Address address, Address slot);

}  // namespace callpath::session
