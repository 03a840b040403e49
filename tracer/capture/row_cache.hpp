// Unwind rows by address, for all threads of the process. Nothing here locks, allocates or waits: async-signal-safe.
//
// An entry is two words that other threads may replace at any moment. The key is the address mixed with the row, so that halves of two
// entries do not fit together and read as a miss. A new generation of modules changes the key of everything, so that old entries are misses
// too.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "capture/row.hpp"

namespace callpath::capture {

class RowCache {
 public:
  struct Entry {
    std::atomic<std::uint64_t> key{0};
    std::atomic<std::uint64_t> word{0};  ///< The row, and above it the index of the entry that was the caller's the last time.
  };
  static constexpr unsigned bucket_bits = 14, in_bucket = 4;
  static constexpr std::size_t entry_count = std::size_t{in_bucket} << bucket_bits;
  static_assert(entry_count == 1u << (64 - Row::width));

  /// What keys are mixed with during one walk.
  std::uint64_t salt() const { return salt_.load(std::memory_order_acquire); }
  void new_generation() { salt_.fetch_add(salt_step, std::memory_order_acq_rel); }

  static bool fits(const Entry& entry, std::uint64_t address, std::uint64_t salt, std::uint64_t& word) {
    word = entry.word.load(std::memory_order_relaxed);
    return entry.key.load(std::memory_order_relaxed) == key(address, salt, word);
  }

  /// The entry of an address, or null.
  Entry* find(std::uint64_t address, std::uint64_t salt, std::uint64_t& word) {
    Entry* bucket = bucket_of(address);
    for (unsigned i = 0; i < in_bucket; ++i)
      if (fits(bucket[i], address, salt, word)) return &bucket[i];
    return nullptr;
  }

  Entry& predicted(std::uint64_t word) { return entries_[word >> Row::width]; }
  void predict(Entry& callee, std::uint64_t word, const Entry& caller) {
    callee.word.store((word & Row::mask) | static_cast<std::uint64_t>(&caller - entries_) << Row::width, std::memory_order_relaxed);
  }

  Entry& insert(std::uint64_t address, std::uint64_t salt, Row row) {
    Entry& entry = room_for(bucket_of(address), salt);
    entry.word.store(row.bits(), std::memory_order_relaxed);
    entry.key.store(key(address, salt, row.bits()), std::memory_order_relaxed);
    return entry;
  }

 private:
  static constexpr std::uint64_t salt_step = 0x9E3779B97F4A7C15ull, mixer = 0xD6E8FEB86659FD93ull;

  static std::uint64_t key(std::uint64_t address, std::uint64_t salt, std::uint64_t word) {
    return (address + salt) ^ (word & Row::mask) * mixer;
  }
  Entry* bucket_of(std::uint64_t address) { return entries_ + in_bucket * (address * 0x9E3779B97F4A7C15ull >> (64 - bucket_bits)); }
  /// A free entry of the bucket, else one of an earlier generation, else any.
  Entry& room_for(Entry* bucket, std::uint64_t salt) {
    constexpr std::uint64_t highest_address = 1ull << 47;
    for (unsigned i = 0; i < in_bucket; ++i) {
      std::uint64_t word = bucket[i].word.load(std::memory_order_relaxed);
      std::uint64_t address = (bucket[i].key.load(std::memory_order_relaxed) ^ (word & Row::mask) * mixer) - salt;
      if (word == 0 || address >= highest_address) return bucket[i];
    }
    return bucket[turn_.fetch_add(1, std::memory_order_relaxed) % in_bucket];
  }

  alignas(64) Entry entries_[entry_count];
  std::atomic<std::uint64_t> salt_{0};
  std::atomic<unsigned> turn_{0};
};

extern RowCache row_cache;

}  // namespace callpath::capture
