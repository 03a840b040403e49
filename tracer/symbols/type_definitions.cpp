#include "symbols/type_definitions.hpp"

#include "symbols/die_names.hpp"
#include "symbols/units.hpp"

namespace callpath::dw {
namespace {

constexpr std::size_t most_types = 1'000'000;
constexpr int deepest = 32;

bool is_compound(int t) {
  return t == DW_TAG_structure_type || t == DW_TAG_class_type || t == DW_TAG_union_type || t == DW_TAG_enumeration_type;
}

/// What refers to a type unit has the nested declarations of the type, but not always the flag.
bool is_declaration(Die type) { return flag(attribute(type, DW_AT_declaration)) || attribute(type, DW_AT_signature); }

}  // namespace

std::optional<Die> TypeDefinitions::complete(std::optional<Die> type) {
  const auto declared = peeled(type);
  if (!declared || !is_compound(tag(*declared)) || !is_declaration(*declared)) return type;
  if (const auto elsewhere = reference(*declared, DW_AT_signature)) return elsewhere;  // a type unit
  const char* name = name_of(*declared);
  const std::string prefix = names_.scope_prefix(*declared);
  if (!name || prefix.find('(') != prefix.npos) return type;  // in an unnamed namespace or in a function
  const Die* definition = find(prefix + name);
  return definition ? *definition : type;
}

const Die* TypeDefinitions::find(const std::string& qualified) {
  auto found = by_name_.find(qualified);
  const auto& code = units_.all();
  const auto& types = units_.type_units();
  for (; found == by_name_.end() && next_unit_ < code.size() + types.size() && read_ < most_types; ++next_unit_) {
    read(next_unit_ < code.size() ? code[next_unit_]->body() : types[next_unit_ - code.size()], {}, 0);
    found = by_name_.find(qualified);
  }
  return found == by_name_.end() ? nullptr : &found->second;
}

void TypeDefinitions::read(Die parent, const std::string& prefix, int depth) {
  if (depth > deepest) return;
  for_each_child(parent, [&](Die child) {
    const char* name = name_of(child);
    if (tag(child) == DW_TAG_imported_unit) {
      const auto unit = reference(child, DW_AT_import);
      if (unit && imported_.insert(unit->addr).second) read(*unit, prefix, depth + 1);
    } else if (tag(child) == DW_TAG_namespace && name && *name) {
      read(child, prefix + name + "::", depth + 1);
    } else if (is_compound(tag(child)) && name && !is_declaration(child)) {
      add(child, prefix, depth);
    }
    return read_ < most_types;
  });
}

void TypeDefinitions::add(Die child, const std::string& prefix, int depth) {
  ++read_;
  // A class that is declared in another and defined outside of it stands at the top, but its name is the declaration's.
  const bool outside = attribute(child, DW_AT_specification).has_value();
  const std::string qualified = (outside ? names_.scope_prefix(child) : prefix) + name_of(child);
  by_name_.emplace(qualified, child);
  if (tag(child) != DW_TAG_enumeration_type) read(child, qualified + "::", depth + 1);
}

}  // namespace callpath::dw
