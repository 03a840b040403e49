#include "tables/exported_data.hpp"

#include <fmt/format.h>

namespace callpath::tables {
namespace {

constexpr const char *stub = "DispatchStub<", *vtable = "vtable for ";

/// "x::f(int (*)(a), b)" split at commas outside of brackets.
std::vector<std::string> arguments_of(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '(' || c == '<') ++depth;
    if (c == ')' || c == '>') --depth;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else if (c != ' ' || !parts.back().empty())
      parts.back() += c;
  }
  return parts;
}

std::string without_ending(std::string text, const std::string& ending) {
  if (text.size() > ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0)
    text.resize(text.size() - ending.size());
  return text;
}

/// "at::native::DispatchStub<SIGNATURE, at::native::pow_tensor_scalar_stub>::AVX2".
std::optional<Reading> read_stub(const std::string& name) {
  const auto begin = name.find(stub);
  const auto end = name.rfind(">::");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return std::nullopt;
  const auto inside = begin + std::char_traits<char>::length(stub);
  const auto parts = arguments_of(name.substr(inside, end - inside));
  if (parts.size() < 2) return std::nullopt;
  const std::string owner = without_ending(parts.back(), "_DECLARE_DISPATCH_type"), capability = name.substr(end + 3);
  const std::string word = owner.substr(owner.rfind(':') + 1);
  return Reading{Certainty::kernel, fmt::format("{} kernel, {}", word, capability), fmt::format("{} kernel of {}", capability, owner),
                 "equals DispatchStub<…" + parts.back() + ">::" + capability};
}

}  // namespace

std::optional<Reading> read_exported(Symbols& symbols, const Module& module, Address word) {
  const auto offset = module.offset(word);
  for (const auto& symbol : symbols.data_at(module, offset)) {
    if (auto kernel = read_stub(symbol.name)) return kernel;
    const auto at = offset.value - symbol.start.value;
    if (symbol.name.rfind(vtable, 0) == 0 && at >= 16) {
      const std::string owner = symbol.name.substr(std::char_traits<char>::length(vtable));
      const auto slot = (at - 16) / 8;
      return Reading{Certainty::virtual_function, fmt::format("virtual function {} of {}", slot, short_name(owner)),
                     fmt::format("virtual function {} of {} or of a base of it", slot, owner),
                     fmt::format("equals slot {} of the vtable for {}", slot, owner)};
    }
    const std::string place = at ? fmt::format("{}+{:#x}", symbol.name, at) : symbol.name;
    return Reading{Certainty::symbol, fmt::format("function in {}", short_name(symbol.name)),
                   fmt::format("function that {} points to", place), "equals the pointer in " + place};
  }
  return std::nullopt;
}

}  // namespace callpath::tables
