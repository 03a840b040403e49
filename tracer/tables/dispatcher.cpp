#include "tables/dispatcher.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "tables/words.hpp"

namespace callpath::tables {
namespace {

constexpr const char* singleton = "_ZZN3c1010Dispatcher9singletonEvE1s";
constexpr std::size_t most_operators = 100'000;

/// A std::string of libstdc++: pointer, size, and its characters or its capacity.
constexpr std::uint64_t string_size = 32;
std::optional<std::string> read_string(const Memory& memory, Address at) {
  constexpr std::uint64_t longest = 512;
  const auto data = memory.pointer(at);
  const auto size = memory.get<std::uint64_t>(at + 8);
  if (!data || !size || *size > longest) return std::nullopt;
  std::string text(*size, '\0');
  if (!memory.read(*data, text.data(), text.size())) return std::nullopt;
  for (const char c : text)
    if (!std::isprint(static_cast<unsigned char>(c))) return std::nullopt;
  return text;
}

/// "registered at ./build/aten/src/ATen/RegisterCPU.cpp:30798" -> "RegisterCPU.cpp:30798".
std::optional<std::string> place_in(const std::string& text) {
  constexpr std::string_view start = "registered at ";
  if (text.compare(0, start.size(), start) != 0) return std::nullopt;
  const std::string place = text.substr(start.size());
  return place.substr(place.rfind('/') + 1);
}

/// "RegisterCPU.cpp:30798" -> "CPU", "VariableType_0.cpp:14904" -> "autograd".
std::string label_of(const std::string& place) {
  std::string word = place.substr(0, place.find('.'));
  while (!word.empty() && (std::isdigit(static_cast<unsigned char>(word.back())) || word.back() == '_')) word.pop_back();
  if (word == "VariableType") return "autograd";
  if (word == "ADInplaceOrViewType") return "ADInplaceOrView";
  if (word == "TraceType") return "tracer";
  constexpr std::string_view start = "Register";
  return word.size() > start.size() && word.compare(0, start.size(), start) == 0 ? word.substr(start.size()) : word;
}

/// One `std::list<AnnotatedKernel>` for each key, in an open hash table: {distance, key, list}.
class Kernels {
 public:
  Kernels(const Memory& memory, Registrations& out) : memory_(memory), out_(out) {}

  /// Reads the table whose head is at `head` {entries, slots - 1, ..., count}; false, and nothing is kept, if it is none.
  bool read(Address head, const std::string& op) {
    constexpr std::uint64_t most_slots = 1024, entry_size = 40;
    const auto entries = memory_.pointer(head);
    const auto slots = memory_.get<std::uint64_t>(head + 8), count = memory_.get<std::uint64_t>(head + 24);
    const auto lookups = memory_.get<std::int8_t>(head + 17);
    if (!entries || !*entries || !slots || !count || !lookups || *slots == 0 || *slots > most_slots || (*slots & (*slots + 1)))
      return false;
    if (*lookups <= 0 || *count == 0 || *count > *slots + 1) return false;
    std::vector<std::pair<std::uint64_t, Registration>> found;
    std::uint64_t used = 0;
    for (std::uint64_t i = 0; i < *slots + 1 + static_cast<std::uint64_t>(*lookups); ++i) {
      const Address entry = *entries + i * entry_size;
      const auto distance = memory_.get<std::int8_t>(entry);
      if (!distance) return false;
      if (*distance < 0 || i == *slots + static_cast<std::uint64_t>(*lookups)) continue;  // free, or the mark at the end
      ++used;
      if (!read_list(entry + 16, op, found)) return false;
    }
    if (used != *count || found.empty()) return false;
    for (auto& [address, registration] : found) out_.emplace(address, std::move(registration));
    return true;
  }

 private:
  using Rows = std::vector<std::pair<std::uint64_t, Registration>>;

  bool read_list(Address head, const std::string& op, Rows& found) const {
    constexpr std::uint64_t most_kernels = 64, node_links = 16;
    const auto size = memory_.get<std::uint64_t>(head + 16);
    if (!size || *size > most_kernels) return false;
    Address node = memory_.pointer(head).value_or(Address{});
    for (std::uint64_t i = 0; i < *size; ++i) {
      if (!read_kernel(node + node_links, op, found)) return false;
      node = memory_.pointer(node).value_or(Address{});
    }
    return node == head;
  }

  /// {functor, boxed function, unboxed function, its symbolic form}, schema, "registered at ...".
  bool read_kernel(Address at, const std::string& op, Rows& found) const {
    constexpr std::uint64_t boxed = 8, unboxed = 16, symbolic = 24, debug = 40;
    const auto text = read_string(memory_, at + debug);
    const auto place = text ? place_in(*text) : std::nullopt;
    if (!place) return false;
    for (const auto member : {boxed, unboxed, symbolic})
      if (const auto function = memory_.pointer(at + member); function && *function)
        found.push_back({function->value, {op, label_of(*place), *place, member == boxed}});
    return true;
  }

  const Memory& memory_;
  Registrations& out_;
};

/// An operator in the dispatcher's list. It begins with its name and the name of the overload.
struct Operator {
  Address at;
  std::string name;
};

std::vector<Operator> operators_of(const Memory& memory, Address dispatcher) {
  constexpr std::uint64_t node_links = 16;
  std::vector<Operator> all;
  Address node = memory.pointer(dispatcher).value_or(Address{});
  for (std::size_t i = 0; node && node != dispatcher && i < most_operators; ++i) {
    const Address at = node + node_links;
    const auto name = read_string(memory, at), overload = read_string(memory, at + string_size);
    if (name && overload && name->find("::") != std::string::npos) all.push_back({at, overload->empty() ? *name : *name + "." + *overload});
    node = memory.pointer(node).value_or(Address{});
  }
  return all;
}

/// Where an operator's kernels stand in it differs from version to version: the place at which most of some operators have such a table.
/// One alone would not do: an operator without kernels may be followed in memory by one that has some.
std::optional<std::uint64_t> kernels_offset(const Memory& memory, const std::vector<Operator>& operators) {
  constexpr std::uint64_t nearest = 2 * string_size, farthest = 8192, sample = 48;
  std::map<std::uint64_t, std::size_t> votes;
  const std::size_t step = operators.size() / sample + 1;
  for (std::size_t i = 0; i < operators.size(); i += step) {
    Registrations ignored;
    for (std::uint64_t offset = nearest; offset < farthest; offset += 8) {
      if (!Kernels(memory, ignored).read(operators[i].at + offset, operators[i].name)) continue;
      ++votes[offset];
      break;
    }
  }
  const auto most = std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == votes.end() ? std::nullopt : std::optional(most->first);
}

}  // namespace

Registrations read_dispatcher(Symbols& symbols, const std::vector<Module>& modules, const Memory& memory) {
  Registrations all;
  const BlockMemory blocks(memory);
  for (const auto& module : modules) {
    // The symbol is unique in the process: the one library whose copy the loader chose has the value.
    if (module.path.find("torch") == std::string::npos) continue;
    const auto symbol = symbols.data_named(module, singleton);
    const auto dispatcher = symbol ? blocks.pointer(module.address(symbol->start)) : std::nullopt;
    if (!dispatcher || !*dispatcher) continue;
    const auto operators = operators_of(blocks, *dispatcher);
    const auto offset = kernels_offset(blocks, operators);
    for (std::size_t i = 0; offset && i < operators.size(); ++i) Kernels(blocks, all).read(operators[i].at + *offset, operators[i].name);
    if (!all.empty()) break;
  }
  return all;
}

std::optional<Reading> read_registered(const Registrations& all, Address function) {
  std::vector<std::string> operators, labels, places;
  bool boxed = true;
  const auto note = [](std::vector<std::string>& list, const std::string& text) {
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
  };
  const auto [first, last] = all.equal_range(function.value);
  for (auto i = first; i != last; ++i) {
    note(operators, i->second.op), note(labels, i->second.label), note(places, i->second.place);
    boxed &= i->second.boxed;
  }
  if (operators.empty()) return std::nullopt;
  for (auto* list : {&operators, &labels, &places}) std::sort(list->begin(), list->end());
  const char* form = boxed ? "boxed" : "unboxed";
  if (operators.size() > 1)
    return Reading{Certainty::registration, fmt::format("{} wrapper of {} operators", form, operators.size()),
                   fmt::format("{} wrapper of {} operators", form, operators.size()),
                   fmt::format("equals the {} function of {}, {} and others in the dispatcher", form, operators[0], operators[1])};
  const std::string name = fmt::format("{} {} wrapper of {}", fmt::join(labels, "/"), form, operators[0]);
  Reading reading{Certainty::registration, name, name, ""};
  reading.evidence =
      fmt::format("equals the {} function of {} in the dispatcher, registered at {}", form, operators[0], fmt::join(places, ", "));
  reading.op = operators[0], reading.label = labels[0];
  return reading;
}

}  // namespace callpath::tables
