#include "tables/shapes.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstdint>
#include <iterator>

#include "core/cpython_offsets.hpp"
#include "tables/type_slots.hpp"

namespace callpath::tables {
namespace {

using namespace cpython;

// NumPy's structures.
enum : std::uint64_t {
  ufunc_inputs = 16,
  ufunc_arguments = 24,
  ufunc_functions = 32,
  ufunc_count = 48,
  ufunc_name = 56,
  ufunc_types = 64,
  array_method_name = 16,
};

constexpr std::uint64_t largest_flags = 0x3ff;  // Of a PyMethodDef.

Reading slot_reading(const std::string& type, const std::string& slot, Address owner) {
  return {Certainty::slot, fmt::format("{} of {}", slot, type), fmt::format("{} slot of {}", slot, type),
          fmt::format("equals {} of the type {}", slot, type), owner};
}

}  // namespace

Address Shapes::base_of(Address type) const { return memory_.pointer(type + type_base).value_or(Address{}); }

std::optional<std::string> Shapes::word_at(Address place, bool may_have_blanks) const {
  const auto text_at = memory_.pointer(place);
  if (!text_at || text_at->value < 4096) return std::nullopt;
  auto text = memory_.c_string(*text_at, 200);
  if (!text || text->empty() || std::isdigit(static_cast<unsigned char>(text->front()))) return std::nullopt;
  for (const char c : *text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.' && !(may_have_blanks && c == ' ')) return std::nullopt;
  return text;
}

// Any object may have a text where a type has its name. Only a type's type has the flag of `type` and its subtypes.
bool Shapes::is_type(Address type) const {
  constexpr std::uint64_t ready = 1u << 12, type_subclass = 1u << 31;
  const auto flags = [&](Address t) { return memory_.get<std::uint64_t>(t + type_flags).value_or(0); };
  if (type.value < 4096 || type.value % 8) return false;
  const auto meta = memory_.pointer(type + object_type);
  if (!meta || meta->value < 4096 || meta->value % 8 || !(flags(*meta) & type_subclass) || !(flags(*meta) & ready)) return false;
  if (!(flags(type) & ready) || !word_at(type + type_name_at, true)) return false;
  // A type comes first in its own method resolution order.
  const auto order = memory_.pointer(type + type_mro);
  return order && order->value >= 4096 && memory_.pointer(*order + tuple_items) == type;
}

std::optional<std::string> Shapes::type_name(Address type) const {
  return is_type(type) ? word_at(type + type_name_at, true) : std::nullopt;
}

std::optional<std::string> Shapes::type_of(Address object) const {
  const auto type = memory_.pointer(object + object_type);
  return type ? type_name(*type) : std::nullopt;
}

std::optional<Address> Shapes::method_definition(Address at) const {
  const auto flags = memory_.get<std::uint64_t>(at + 8);
  const Address definition = at - 8;
  if (!flags || *flags == 0 || *flags > largest_flags || !word_at(definition)) return std::nullopt;
  const auto documentation = memory_.pointer(definition + 24);
  if (!documentation || (*documentation && !memory_.get<char>(*documentation))) return std::nullopt;
  return definition;
}

std::optional<Reading> Shapes::getter_at(Address at) const {
  for (const bool setter : {false, true}) {
    const Address definition = at - (setter ? 16 : 8);
    const auto name = word_at(definition);
    const auto other = memory_.pointer(definition + (setter ? 8 : 16)), documentation = memory_.pointer(definition + 24);
    if (!name || !other || !documentation) continue;
    // The other function may be missing, but what stands there is no small number, and so is the documentation.
    const auto is_pointer_or_null = [&](Address a) { return !a || memory_.get<char>(a).has_value(); };
    if (!is_pointer_or_null(*other) || !is_pointer_or_null(*documentation)) continue;
    if (*documentation && !memory_.c_string(*documentation, 1 << 16)) continue;
    const char* what = setter ? "setter" : "getter";
    return Reading{Certainty::method, fmt::format("{} of {}", what, *name), fmt::format("{} of the attribute {}", what, *name),
                   fmt::format("equals {} of the PyGetSetDef of {}", setter ? "set" : "get", *name)};
  }
  return std::nullopt;
}

std::optional<Reading> Shapes::type_slot_at(Address at) const {
  for (const auto& slot : type_slots)
    if (const auto type = type_name(at - slot.at)) return slot_reading(*type, slot.name, at - slot.at);
  return std::nullopt;
}

std::optional<Reading> Shapes::module_slot_at(Address at) const {
  // {1, create}, {2, exec}, up to {0, NULL}.
  const auto slot = memory_.get<std::uint64_t>(at - 8);
  if (!slot || (*slot != 1 && *slot != 2)) return std::nullopt;
  for (std::uint64_t next = 8; next < 16 * 8; next += 16) {
    const auto number = memory_.get<std::uint64_t>(at + next);
    if (!number || *number > 4) return std::nullopt;
    if (*number == 0) {
      const char* what = *slot == 1 ? "create" : "exec";
      return Reading{Certainty::registration, fmt::format("module {} function", what), fmt::format("{} function of a module", what),
                     fmt::format("equals the Py_mod_{} slot of a module definition", what)};
    }
  }
  return std::nullopt;
}

// Which member it is differs from version to version of NumPy, so none is named.
std::optional<Reading> Shapes::array_method_at(Address at) const {
  constexpr std::uint64_t first = 40, last = 112;
  for (std::uint64_t member = first; member <= last; member += 8) {
    const Address object = at - member;
    if (type_of(object) != "numpy._ArrayMethod") continue;
    const auto name = word_at(object + array_method_name).value_or("without a name");
    const std::string what = "function of NumPy's array methods";
    return Reading{Certainty::registration, what, what,
                   fmt::format("equals the pointer at +{} of the numpy._ArrayMethod {}", member, name)};
  }
  return std::nullopt;
}

std::optional<Reading> Shapes::vectorcall_at(Address at) const {
  for (std::uint64_t back = 16; back <= 256; back += 8) {
    const auto type = memory_.pointer(at - back + object_type);
    if (!type || memory_.get<std::uint64_t>(*type + type_vectorcall_offset) != back) continue;
    const auto name = type_name(*type);
    if (!name) continue;
    return Reading{Certainty::slot, fmt::format("vectorcall of {}", *name), fmt::format("vectorcall slot of {}", *name),
                   fmt::format("equals the vectorcall pointer of an object of type {}", *name)};
  }
  return std::nullopt;
}

std::optional<Reading> Shapes::function_at(Address at) const {
  if (const auto definition = method_definition(at)) {
    const std::string name = word_at(*definition).value_or("?");
    return Reading{Certainty::method, fmt::format("method {}", name), fmt::format("method {}", name),
                   fmt::format("equals ml_meth of the PyMethodDef of {}", name)};
  }
  if (auto reading = type_slot_at(at)) return reading;
  if (auto reading = getter_at(at)) return reading;
  if (auto reading = array_method_at(at)) return reading;
  if (auto reading = vectorcall_at(at)) return reading;
  return module_slot_at(at);
}

std::optional<Reading> Shapes::method_at(Address at, Address definition) const {
  const std::string name = word_at(definition).value_or("?");
  const Address descriptor = at - descriptor_method;
  if (const auto kind = type_of(descriptor); kind && kind->find("method_descriptor") != std::string::npos) {
    const auto owner = memory_.pointer(descriptor + descriptor_type);
    if (const auto type = owner ? type_name(*owner) : std::nullopt)
      return Reading{Certainty::method,
                     fmt::format("{} of {}", name, *type),
                     fmt::format("method {}.{}", *type, name),
                     fmt::format("equals ml_meth of the {} {}.{}", *kind, *type, name),
                     {},
                     true};
  }
  const Address builtin = at - builtin_method;
  if (const auto kind = type_of(builtin); kind && (*kind == "builtin_function_or_method" || *kind == "builtin_method")) {
    return Reading{Certainty::method,
                   fmt::format("function {}", name),
                   fmt::format("function {}", name),
                   fmt::format("equals ml_meth of the {} {}", *kind, name),
                   {},
                   true};
  }
  return std::nullopt;
}

std::optional<Reading> Shapes::ufunc_loop(Address object, Address array, Address wanted) const {
  if (type_of(object) != "numpy.ufunc") return std::nullopt;
  const auto count = memory_.get<std::int32_t>(object + ufunc_count), inputs = memory_.get<std::int32_t>(object + ufunc_inputs),
             arguments = memory_.get<std::int32_t>(object + ufunc_arguments);
  const auto name = word_at(object + ufunc_name);
  const auto types = memory_.pointer(object + ufunc_types);
  const auto index = (wanted.value - array.value) / 8;
  if (!count || !inputs || !arguments || !name || !types || *count <= 0 || index >= static_cast<std::uint64_t>(*count)) return std::nullopt;
  constexpr std::int32_t most_arguments = 32;
  if (*arguments <= 0 || *arguments > most_arguments || *inputs < 0 || *inputs > *arguments) return std::nullopt;
  // NumPy's numbers of types, as its own notation writes them.
  constexpr std::string_view codes = "?bBhHiIlLqQfdgFDGOSUVMme";
  std::string signature;
  for (std::int32_t i = 0; i < *arguments; ++i) {
    const auto type = memory_.get<std::uint8_t>(*types + index * static_cast<std::uint64_t>(*arguments) + static_cast<std::uint64_t>(i));
    if (!type) return std::nullopt;
    if (i == *inputs) signature += "->";
    signature += *type < codes.size() ? codes[*type] : '?';
  }
  return Reading{Certainty::loop, fmt::format("{} loop {}", *name, signature), fmt::format("loop {} of numpy.{}", signature, *name),
                 fmt::format("equals functions[{}] of the ufunc {}, types {}", index, *name, signature)};
}

std::optional<Reading> Shapes::array_at(Address at, Address wanted) const {
  const auto array = memory_.pointer(at);
  if (!array || wanted < *array) return std::nullopt;
  const auto index = (wanted.value - array->value) / 8;
  if (auto loop = ufunc_loop(at - ufunc_functions, *array, wanted)) return loop;
  for (const auto& suite : suites) {
    if (index >= suite.slots.size()) continue;
    if (const auto type = type_name(at - suite.at)) return slot_reading(*type, std::data(suite.slots)[index], at - suite.at);
  }
  return std::nullopt;
}

}  // namespace callpath::tables
