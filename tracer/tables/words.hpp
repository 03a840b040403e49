// Looking for pointers in the program's memory.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/memory.hpp"
#include "tables/functions.hpp"

namespace callpath::tables {

/// A pointer that was looked for, and where it stands.
struct Found {
  Address at;
  Address value;
};

/// What a search covered.
struct Coverage {
  std::uint64_t bytes = 0, left_out = 0;  ///< left_out: beyond the limit.
};

/// Every word, aligned to eight bytes, whose value lies in one of the wanted ranges. Ranges of memory are searched in order until
/// `limit` bytes; pieces that cannot be read are passed over.
std::vector<Found> find_words(const Memory&, const std::vector<Extent>& where, const std::vector<Extent>& wanted, std::uint64_t limit,
                              Coverage* = nullptr);

/// Memory that is read in blocks and kept, for structures made of many small pieces. Valid while the thread stays stopped.
class BlockMemory : public Memory {
 public:
  explicit BlockMemory(const Memory& memory) : memory_(memory) {}
  bool read(Address from, void* to, std::size_t size) const override;
  const Memory& plain() const { return memory_; }

 private:
  static constexpr std::size_t block_size = 4096;
  const std::vector<std::uint8_t>& block(std::uint64_t number) const;
  const Memory& memory_;
  mutable std::map<std::uint64_t, std::vector<std::uint8_t>> blocks_;  ///< Empty: cannot be read.
};

}  // namespace callpath::tables
