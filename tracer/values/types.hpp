// Questions about types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "values/object.hpp"

namespace callpath::dw {

/// Size in bytes; 0 if it has none.
std::uint64_t byte_size(std::optional<Die> type);

enum class TypeKind { none, boolean, character, integer, floating, enumeration, pointer, reference, array, structure, function, other };
TypeKind kind_of(std::optional<Die> type);
bool is_signed(std::optional<Die> type);

/// Elements of an array's first dimension; nothing if it is not known.
std::optional<std::uint64_t> element_count(Die array);

/// The type of an array's elements: for several dimensions an array of one less exists only as a count, so `inner` says how many are left
/// out.
struct Dimensions {
  std::vector<std::uint64_t> counts;
  std::optional<Die> element;
};
Dimensions dimensions_of(Die array);

/// A data member or base class and its offset.
struct Member {
  Die die;
  bool base = false;
  std::uint64_t offset = 0;
  int bit_offset = 0, bit_size = 0;
  bool known = true;  ///< False for a virtual base, whose offset only the object knows.
};
std::vector<Member> members_of(Die structure);

/// A member of this name, in base classes and unnamed members, too; the object may be a reference or pointer, which is followed.
Found find_member(const Memory&, Object, const std::string& name, int depth = 0);

/// What a reference or pointer points to.
Found follow(const Memory&, const Object&);

/// References followed; anything else is returned as it is.
Found without_reference(const Memory&, Object);

}  // namespace callpath::dw
