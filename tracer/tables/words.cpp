#include "tables/words.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

namespace callpath::tables {
namespace {

constexpr std::size_t chunk = 1 << 20, page = 4096;

/// Nearly all words are not wanted, which one bit for each page of the address space, folded, tells of nearly all of them.
class Wanted {
 public:
  explicit Wanted(const std::vector<Extent>& ranges) : ranges_(ranges), bits_(std::make_unique<std::uint8_t[]>(slots)) {
    std::sort(ranges_.begin(), ranges_.end(), [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
    for (const auto& range : ranges_)
      for (std::uint64_t p = range.begin.value / page; p <= (range.end.value - 1) / page; ++p) bits_[p % slots] = 1;
    for (auto& range : ranges_) reach_.push_back(std::max(reach_.empty() ? 0 : reach_.back(), range.end.value));
  }

  bool has(std::uint64_t word) const { return bits_[word / page % slots] && in_a_range(word); }

 private:
  static constexpr std::size_t slots = 1 << 14;

  bool in_a_range(std::uint64_t word) const {
    auto after = std::upper_bound(ranges_.begin(), ranges_.end(), word, [](std::uint64_t w, const Extent& e) { return w < e.begin.value; });
    for (auto i = after - ranges_.begin(); i-- > 0 && reach_[static_cast<std::size_t>(i)] > word;)
      if (ranges_[static_cast<std::size_t>(i)].contains({word})) return true;
    return false;
  }

  std::vector<Extent> ranges_;
  std::vector<std::uint64_t> reach_;  ///< Largest end so far.
  std::unique_ptr<std::uint8_t[]> bits_;
};

void search(const Wanted& wanted, Address at, const std::vector<std::uint64_t>& words, std::size_t count, std::vector<Found>& found) {
  for (std::size_t i = 0; i < count; ++i)
    if (wanted.has(words[i])) found.push_back({at + i * sizeof words[0], {words[i]}});
}

}  // namespace

std::vector<Found> find_words(const Memory& memory, const std::vector<Extent>& where, const std::vector<Extent>& ranges,
                              std::uint64_t limit, Coverage* coverage) {
  std::vector<Found> found;
  if (ranges.empty()) return found;
  const Wanted wanted(ranges);
  std::vector<std::uint64_t> words(chunk / sizeof(std::uint64_t));
  Coverage covered;
  for (const auto& range : where) {
    Address at{(range.begin.value + 7) & ~std::uint64_t{7}};
    while (at + sizeof(std::uint64_t) <= range.end) {
      std::size_t size = std::min<std::uint64_t>(chunk, range.end.value - at.value) & ~std::size_t{7};
      if (covered.bytes + size > limit) {
        covered.left_out += range.end.value - at.value;
        break;
      }
      if (!memory.read(at, words.data(), size)) {  // Somewhere in it: page by page.
        size = std::min<std::uint64_t>(page - at.value % page, size);
        if (!memory.read(at, words.data(), size)) {
          at = at + size;
          continue;
        }
      }
      search(wanted, at, words, size / sizeof words[0], found);
      covered.bytes += size;
      at = at + size;
    }
  }
  if (coverage) *coverage = covered;
  return found;
}

const std::vector<std::uint8_t>& BlockMemory::block(std::uint64_t number) const {
  const auto [place, is_new] = blocks_.try_emplace(number);
  auto& bytes = place->second;
  if (is_new) {
    bytes.resize(block_size);
    if (!memory_.read({number * block_size}, bytes.data(), bytes.size())) bytes.clear();
  }
  return bytes;
}

bool BlockMemory::read(Address from, void* to, std::size_t size) const {
  auto* out = static_cast<std::uint8_t*>(to);
  while (size) {
    const auto& bytes = block(from.value / block_size);
    const std::size_t at = from.value % block_size, part = std::min(size, block_size - at);
    if (bytes.empty()) return false;
    std::memcpy(out, bytes.data() + at, part);
    out += part, from = from + part, size -= part;
  }
  return true;
}

}  // namespace callpath::tables
