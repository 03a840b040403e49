#include "session/targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "core/error.hpp"

namespace callpath::session {
namespace {

bool all_digits(const std::string& text) {
  return !text.empty() && text.size() < 9 && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// A demangled template function begins with its return type, which what stands before "::{lambda" lacks.
bool is_function(const std::string& full, const std::string& enclosing) { return full == enclosing || ends_with(full, " " + enclosing); }

/// The out-of-line copy of the function that defines a lambda; its variables are the ones that the lambda's probe is asked about.
std::optional<Address> find_gate(Symbols& symbols, const Module& module, const std::string& enclosing) {
  for (const auto& function : symbols.find(module, short_name(enclosing)))
    if (is_function(function.full, enclosing)) return module.address(function.after_prologue);
  return std::nullopt;
}

std::optional<std::uint64_t> hexadecimal(const std::string& text) {
  std::uint64_t value = 0;
  const auto end = text.data() + text.size();
  if (text.size() < 3 || text.rfind("0x", 0) != 0 || std::from_chars(text.data() + 2, end, value, 16).ptr != end) return std::nullopt;
  return value;
}

/// "libtorch_cpu.so" names libtorch_cpu.so.1.13.0, too.
bool is_named(const Module& module, const std::string& name) {
  return module.path == name || module.name() == name || module.name().rfind(name + ".", 0) == 0;
}

std::vector<Place> place_at_address(Symbols& symbols, const Module& module, const TargetSpec& spec) {
  if (!spec.module.empty() && !is_named(module, spec.module)) return {};
  const Address at = spec.module.empty() ? Address{*spec.address} : module.address({*spec.address});
  if (!module.contains(at)) return {};
  const auto function = symbols.at(module, module.offset(at)).back();
  FoundFunction found;
  found.name = function.name, found.full = function.full, found.file = function.file, found.line = function.line;
  found.entry = found.after_prologue = module.offset(at);
  return {{at, found, std::nullopt}};
}

}  // namespace

TargetSpec TargetSpec::parse(const std::string& text) {
  TargetSpec spec;
  spec.text = text;
  if (text.empty()) throw Error("the probe is empty", "Give a function or a line: --at PowKernel.cpp:67");
  const auto plus = text.rfind("+0x");
  spec.address = hexadecimal(plus == text.npos ? text : text.substr(plus + 1));
  if (spec.address) {
    if (plus != text.npos) spec.module = text.substr(0, plus);
    if (plus == 0) throw Error(fmt::format("{}: the file before + is empty", text), "Give a file's name: --at libtorch_cpu.so+0x4aaa510");
    return spec;
  }
  std::size_t colon = text.rfind(':');
  bool is_line = colon != std::string::npos && colon > 0 && text[colon - 1] != ':' && all_digits(text.substr(colon + 1));
  if (!is_line) {
    spec.pattern = text;
    return spec;
  }
  spec.file = text.substr(0, colon);
  spec.line = std::stoi(text.substr(colon + 1));
  if (ends_with(spec.file, ".py"))
    throw Error(fmt::format("{} is a line of Python: a probe stands on native code", text),
                "Give the C or C++ function that the line reaches, such as --at PyNumber_Power, or a glob of its name.");
  if (spec.line == 0) throw Error(fmt::format("{}: lines count from 1", text));
  return spec;
}

std::vector<Place> find_places(Symbols& symbols, const Module& module, const TargetSpec& spec, PlaceOptions options) {
  if (spec.address) return place_at_address(symbols, module, spec);
  std::vector<Place> places;
  std::map<std::string, std::optional<Address>> gates;
  auto found = spec.line ? symbols.find_line(module, spec.file, spec.line) : symbols.find(module, spec.pattern);
  if (!spec.line && options.copies)
    for (auto& copy : symbols.find_inlined(module, spec.pattern)) found.push_back(std::move(copy));
  for (auto& function : found) {
    Place place{module.address(function.after_prologue), function, std::nullopt};
    if (options.gates && !function.enclosing.empty()) {
      auto known = gates.find(function.enclosing);
      if (known == gates.end()) known = gates.emplace(function.enclosing, find_gate(symbols, module, function.enclosing)).first;
      place.gate = known->second;
    }
    places.push_back(std::move(place));
  }
  return places;
}

}  // namespace callpath::session
