#include "values/object.hpp"

#include <algorithm>
#include <cstring>

namespace callpath::dw {

std::optional<Die> Object::completed(std::optional<Die> of) const { return definitions ? definitions->complete(of) : of; }

bool Object::read(const Memory& memory, std::uint64_t offset, void* to, std::size_t size) const {
  if (address) return memory.read(*address + offset, to, size);
  const auto overlaps = [&](const Range& r) { return r.begin < offset + size && offset < r.end; };
  if (std::any_of(gone.begin(), gone.end(), overlaps)) return false;
  if (offset > bytes.size() || size > bytes.size() - offset) return false;
  std::memcpy(to, bytes.data() + offset, size);
  return true;
}

Object Object::part(std::uint64_t offset, std::optional<Die> part_type, std::uint64_t size) const {
  Object o;
  o.definitions = definitions;
  o.type = completed(part_type);
  if (address) {
    o.address = *address + offset;
  } else if (offset < bytes.size()) {
    const auto end = std::min<std::uint64_t>(bytes.size(), size > bytes.size() - offset ? bytes.size() : offset + size);
    o.bytes.assign(bytes.begin() + static_cast<std::ptrdiff_t>(offset), bytes.begin() + static_cast<std::ptrdiff_t>(end));
    for (const auto& r : gone)
      if (r.begin < end && offset < r.end)
        o.gone.push_back({std::max(r.begin, offset) - offset, std::min<std::uint64_t>(r.end, end) - offset});
  }
  return o;
}

}  // namespace callpath::dw
