#include "values/types.hpp"

#include <cstring>

namespace callpath::dw {
namespace {

constexpr int deepest = 32;
constexpr std::size_t most_members = 4'000;

TypeKind base_kind(Die type) {
  const char* name = name_of(type);
  if (name && std::strcmp(name, "wchar_t") == 0) return TypeKind::character;  // its encoding is an integer's
  switch (number(attribute(type, DW_AT_encoding)).value_or(0)) {
    case DW_ATE_boolean:
      return TypeKind::boolean;
    case DW_ATE_signed_char:
    case DW_ATE_unsigned_char:
    case DW_ATE_UTF:
      return TypeKind::character;
    case DW_ATE_signed:
    case DW_ATE_unsigned:
      return TypeKind::integer;
    case DW_ATE_float:
      return TypeKind::floating;
    default:
      return TypeKind::other;
  }
}

Member to_member(Die child) {
  Member m{child, tag(child) == DW_TAG_inheritance, 0, 0, 0, true};
  if (const auto location = attribute(child, DW_AT_data_member_location)) {
    const auto offset = number(location);
    m.known = offset.has_value();
    m.offset = offset.value_or(0);
  }
  m.bit_size = static_cast<int>(number(attribute(child, DW_AT_bit_size)).value_or(0));
  if (m.bit_size == 0) return m;
  if (const auto bits = number(attribute(child, DW_AT_data_bit_offset))) {
    m.offset = *bits / 8;
    m.bit_offset = static_cast<int>(*bits % 8);
  } else if (const auto from_top = number(attribute(child, DW_AT_bit_offset))) {  // DWARF 3: from the most significant bit of the storage
    const auto storage = number(attribute(child, DW_AT_byte_size)).value_or(byte_size(type_of(child)));
    m.bit_offset = static_cast<int>(storage * 8 - *from_top) - m.bit_size;
  }
  return m;
}

Object member_object(const Object& whole, const Member& m) {
  const auto type = whole.completed(type_of(m.die));
  const auto size = m.bit_size ? (m.bit_offset + m.bit_size + 7) / 8 : byte_size(type);
  Object o = whole.part(m.offset, type, size);
  o.bit_offset = m.bit_offset;
  o.bit_size = m.bit_size;
  return o;
}

}  // namespace

std::uint64_t byte_size(std::optional<Die> type) {
  type = peeled(type);
  Dwarf_Word size = 0;
  if (!type) return 0;
  return dwarf_aggregate_size(&*type, &size) == 0 ? size : 0;
}

TypeKind kind_of(std::optional<Die> type) {
  type = peeled(type);
  if (!type) return TypeKind::none;
  switch (tag(*type)) {
    case DW_TAG_base_type:
      return base_kind(*type);
    case DW_TAG_enumeration_type:
      return TypeKind::enumeration;
    case DW_TAG_pointer_type:
      return TypeKind::pointer;
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
      return TypeKind::reference;
    case DW_TAG_array_type:
      return TypeKind::array;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
      return TypeKind::structure;
    case DW_TAG_subroutine_type:
      return TypeKind::function;
    default:
      return TypeKind::other;
  }
}

bool is_signed(std::optional<Die> type) {
  type = peeled(type);
  if (!type) return false;
  if (tag(*type) == DW_TAG_enumeration_type) {
    const auto underlying = type_of(*type);
    return underlying && is_signed(underlying);
  }
  const auto encoding = number(attribute(*type, DW_AT_encoding)).value_or(0);
  return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
}

Dimensions dimensions_of(Die array) {
  Dimensions d;
  d.element = type_of(array);
  for_each_child(array, [&](Die child) {
    if (tag(child) != DW_TAG_subrange_type) return true;
    const auto upper = signed_number(attribute(child, DW_AT_upper_bound));
    const auto count = number(attribute(child, DW_AT_count));
    d.counts.push_back(count ? *count : upper && *upper >= 0 ? static_cast<std::uint64_t>(*upper) + 1 : 0);
    return d.counts.size() < 16;
  });
  return d;
}

std::vector<Member> members_of(Die structure) {
  std::vector<Member> members;
  for_each_child(structure, [&](Die child) {
    const int t = tag(child);
    if (t != DW_TAG_member && t != DW_TAG_inheritance) return true;
    if (t == DW_TAG_member && (flag(attribute(child, DW_AT_external)) || flag(attribute(child, DW_AT_declaration)))) return true;  // static
    members.push_back(to_member(child));
    return members.size() < most_members;
  });
  return members;
}

Found follow(const Memory& memory, const Object& pointer) {
  std::uint64_t to = 0;
  if (!pointer.read(memory, 0, &to, sizeof to)) return Found::none(not_readable);
  if (to == 0) return Found::none("a null pointer");
  Object o;
  o.definitions = pointer.definitions;
  o.type = pointer.completed(type_of(*peeled(pointer.type)));
  o.address = Address{to};
  return {std::move(o), {}};
}

Found without_reference(const Memory& memory, Object object) {
  return kind_of(object.type) == TypeKind::reference ? follow(memory, object) : Found{std::move(object), {}};
}

Found find_member(const Memory& memory, Object object, const std::string& name, int depth) {
  const std::string missing = "there is no member " + name;
  if (depth > deepest) return Found::none(missing);
  for (int hops = 0; hops < 4 && (kind_of(object.type) == TypeKind::reference || kind_of(object.type) == TypeKind::pointer); ++hops) {
    auto next = follow(memory, object);
    if (!next) return next;
    object = std::move(*next.object);
  }
  if (kind_of(object.type) != TypeKind::structure) return Found::none(missing);
  const Die structure = *peeled(object.type);
  if (flag(attribute(structure, DW_AT_declaration))) return Found::none("no debug information defines its type");
  const auto members = members_of(structure);
  for (const auto& m : members) {
    const char* own = m.base ? nullptr : name_of(m.die);
    if (own && name == own) return {member_object(object, m), {}};
  }
  for (const auto& m : members) {
    if (!m.known || (!m.base && name_of(m.die))) continue;
    if (kind_of(type_of(m.die)) != TypeKind::structure) continue;
    if (auto found = find_member(memory, member_object(object, m), name, depth + 1)) return found;
  }
  return Found::none(missing);
}

}  // namespace callpath::dw
