// Call frame information (.eh_frame) read for one instruction.
#pragma once

#include <cstdint>

#include "capture/row.hpp"

namespace callpath::capture {

/// The row of an instruction, or an invalid one where it cannot be held. `fde` is the address of its frame description entry, `start` where
/// the code of that begins, `base` and `end` the bounds of the module, outside of which nothing is read. Async-signal-safe.
Row read_row(std::uint64_t fde, std::uint64_t start, std::uint64_t instruction, std::uint64_t base, std::uint64_t end);

}  // namespace callpath::capture
