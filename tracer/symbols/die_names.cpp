#include "symbols/die_names.hpp"

#include <cstring>

#include "symbols/symbols.hpp"

namespace callpath::dw {
namespace {

constexpr int deepest = 64;

const char* linkage_name(Die die) {
  if (const char* name = text(attribute_of_origin(die, DW_AT_linkage_name))) return name;
  return text(attribute_of_origin(die, DW_AT_MIPS_linkage_name));
}

bool is_type_scope(int t) { return t == DW_TAG_structure_type || t == DW_TAG_class_type || t == DW_TAG_union_type; }

bool is_scope(int t) {
  return is_type_scope(t) || t == DW_TAG_namespace || t == DW_TAG_subprogram || t == DW_TAG_enumeration_type || t == DW_TAG_typedef;
}

bool is_block(int t) {
  return t == DW_TAG_lexical_block || t == DW_TAG_inlined_subroutine || t == DW_TAG_module || t == DW_TAG_try_block ||
         t == DW_TAG_catch_block;
}

bool is_const_member(Die declaration) {
  const auto object = reference(declaration, DW_AT_object_pointer);
  auto type = object ? type_of(*object) : std::nullopt;
  while (type && tag(*type) == DW_TAG_const_type) type = type_of(*type);  // the pointer itself is const
  if (!type || tag(*type) != DW_TAG_pointer_type) return false;
  const auto pointee = type_of(*type);
  return pointee && tag(*pointee) == DW_TAG_const_type;
}

/// A lambda's closure type: GCC calls it "<lambda(float)>", clang leaves it without a name.
bool is_closure(Die type) {
  if (const char* name = name_of(type)) return std::strncmp(name, "<lambda", 7) == 0;
  bool calls = false;
  for_each_child(type, [&](Die child) {
    const char* name = tag(child) == DW_TAG_subprogram ? name_of(child) : nullptr;
    calls = name && std::strcmp(name, "operator()") == 0;
    return !calls;
  });
  return calls;
}

}  // namespace

Scopes::Scopes(Die unit) { walk(unit, nullptr, 0); }

const Scopes::Entry* Scopes::find(const void* key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : &found->second;
}

void Scopes::walk(Die parent, const void* key, int depth) {
  if (depth > deepest) return;
  for_each_child(parent, [&](Die child) {
    const int t = tag(child);
    if (is_scope(t)) {
      entries_.emplace(child.addr, Entry{child, key});
      walk(child, child.addr, depth + 1);
    } else if (is_block(t)) {
      walk(child, key, depth + 1);
    }
    return true;
  });
}

const Scopes& DieNames::scopes(Die unit) {
  auto& place = scopes_[unit.addr];
  if (!place) place = std::make_unique<Scopes>(unit);
  return *place;
}

std::string DieNames::scope_prefix(Die die, int depth) {
  if (depth > deepest) return {};
  die = declaration_of(die);
  const Scopes& all = scopes(unit_of(die));
  const auto* self = all.find(die.addr);
  std::string prefix;
  for (const auto* scope = self ? all.find(self->parent) : nullptr; scope; scope = all.find(scope->parent)) {
    prefix = component(*scope, depth) + "::" + prefix;
    if (tag(scope->die) == DW_TAG_subprogram) break;  // its own name says the rest
    if (scope->parent == nullptr) {
      // A type nested in one that is only declared here keeps its scope through the declaration.
      const Die declared = declaration_of(scope->die);
      if (declared.addr != scope->die.addr) prefix = scope_prefix(declared, depth + 1) + prefix;
    }
  }
  return prefix;
}

std::vector<Die> DieNames::enclosing(Die die) {
  const Die declaration = declaration_of(die);
  std::vector<Die> all = {die};
  if (const auto origin = reference(die, DW_AT_abstract_origin)) all.push_back(*origin);
  all.push_back(declaration);
  const Scopes& scopes = this->scopes(unit_of(declaration));
  const auto* self = scopes.find(declaration.addr);
  for (const auto* scope = self ? scopes.find(self->parent) : nullptr; scope && all.size() < deepest; scope = scopes.find(scope->parent)) {
    all.push_back(scope->die);
    const Die outer = declaration_of(scope->die);
    if (outer.addr != scope->die.addr) all.push_back(outer);
  }
  return all;
}

std::string DieNames::component(const Scopes::Entry& scope, int depth) {
  if (tag(scope.die) == DW_TAG_subprogram) return function_name(scope.die, depth + 1);
  const char* name = name_of(scope.die);
  if (tag(scope.die) == DW_TAG_namespace) return name && *name ? name : "(anonymous namespace)";
  if (!is_closure(scope.die)) return name ? name : "{unnamed type}";

  std::string signature = "lambda()";
  for_each_child(scope.die, [&](Die child) {
    const char* member = tag(child) == DW_TAG_subprogram ? name_of(child) : nullptr;
    if (!member || std::strcmp(member, "operator()") != 0) return true;
    signature = "lambda" + parameters(child, TypeStyle::demangler, depth + 1);
    return false;
  });
  return "{" + signature + "}";
}

std::string DieNames::parameters(Die function, TypeStyle style, int depth) {
  std::string list;
  for_each_child(function, [&](Die child) {
    const int t = tag(child);
    if (t == DW_TAG_unspecified_parameters) list += list.empty() ? "..." : ", ...";
    if (t != DW_TAG_formal_parameter || flag(attribute(child, DW_AT_artificial))) return true;
    list += (list.empty() ? "" : ", ") + declare(type_of(child), {}, {}, style, depth + 1);
    return list.size() < 4096;
  });
  if (list.empty() && style == TypeStyle::gdb) list = "void";
  return "(" + list + ")";
}

std::string DieNames::function_name(Die die, int depth) {
  if (depth > deepest) return "??";
  if (const char* linkage = linkage_name(die)) return demangle(linkage);
  const char* name = name_of(die);
  if (!name) return "??";
  const Die declaration = declaration_of(die);
  if (!is_cplusplus(unit_of(declaration))) return name;
  const std::string prefix = scope_prefix(declaration, depth + 1);
  const bool c_linkage = flag(attribute(declaration, DW_AT_external)) && !reference(declaration, DW_AT_object_pointer);
  if (c_linkage && prefix.find(')') == prefix.npos) return name;
  return prefix + name + parameters(declaration, TypeStyle::demangler, depth + 1) + (is_const_member(declaration) ? " const" : "");
}

}  // namespace callpath::dw
