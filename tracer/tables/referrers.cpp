#include "tables/referrers.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "tables/code.hpp"

namespace callpath::tables {
namespace {

constexpr std::uint64_t most_code = 256ull << 20;
constexpr std::size_t chunk = 1 << 20, overlap = 3;

/// Places whose four bytes, counted from behind them, lead to the target: what a reference looks like, among much that only looks so.
void candidates_in(const Memory& memory, const Module::Segment& segment, Address target, std::vector<Address>& out) {
  std::vector<std::uint8_t> bytes(chunk + overlap);
  for (Address at = segment.begin; at < segment.end; at = at + chunk) {
    const auto size = std::min<std::uint64_t>(bytes.size(), segment.end.value - at.value);
    if (!memory.read(at, bytes.data(), size)) continue;
    const auto wanted = static_cast<std::uint32_t>(target.value - at.value - 4);
    for (std::uint32_t i = 0; i + 4 <= size; ++i) {
      std::uint32_t distance = 0;
      std::memcpy(&distance, bytes.data() + i, sizeof distance);
      if (distance == wanted - i) out.push_back(at + i);
    }
  }
}

}  // namespace

std::optional<std::vector<Referrer>> referrers_of(Address target, const Module& module, const Memory& memory, FunctionExtents& extents) {
  std::uint64_t size = 0;
  std::vector<Address> candidates;
  for (const auto& segment : module.segments)
    if (segment.executable) size += segment.end.value - segment.begin.value;
  if (size > most_code) return std::nullopt;
  for (const auto& segment : module.segments)
    if (segment.executable) candidates_in(memory, segment, target, candidates);
  std::vector<Referrer> found;
  std::set<Address> seen;
  for (const Address candidate : candidates) {
    const auto extent = extents.at(module, memory, candidate);
    if (!extent || extent->contains(target) || !seen.insert(extent->begin).second) continue;
    const auto references = references_in(memory, *extent);
    const auto has = [&](const std::vector<Address>& list) { return std::find(list.begin(), list.end(), target) != list.end(); };
    if (has(references.called))
      found.push_back({extent->begin, true});
    else if (has(references.taken))
      found.push_back({extent->begin, false});
  }
  return found;
}

}  // namespace callpath::tables
