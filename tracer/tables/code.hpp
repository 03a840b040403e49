// What a function's machine code refers to.
#pragma once

#include <optional>
#include <vector>

#include "core/memory.hpp"
#include "tables/functions.hpp"

namespace callpath::tables {

/// Bytes from an address as far as they can be read, at most `size`.
std::vector<std::uint8_t> code_bytes(const Memory&, Address from, std::size_t size);

/// An entry of the procedure linkage table is `[endbr64] [bnd] jmp *GOT(%rip)`: what the GOT holds; else the address itself.
Address through_plt(const Memory&, Address);

/// Where the direct call that returns to this address goes, through the procedure linkage table if need be; nothing for other calls.
std::optional<Address> called_before(const Memory&, Address return_address);

struct References {
  std::vector<Address> called;  ///< By direct calls, and by jumps that leave the extent; through the procedure linkage table.
  std::vector<Address> taken;   ///< Addresses that it computes from its own place, code and data alike.
};

/// Decodes an extent from its beginning; what follows an instruction that cannot be decoded is not told.
References references_in(const Memory&, const Extent&);

/// Whether code that runs straight from a function's entry to `until` leaves the registers alone in which arguments arrive.
bool keeps_arguments(const Memory&, Address entry, Address until);

}  // namespace callpath::tables
