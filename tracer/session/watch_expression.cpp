#include "session/watch_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <regex>
#include <string_view>

#include "core/error.hpp"
#include "session/tensor_memory.hpp"

namespace callpath::session {
namespace {

// DWARF's numbers.
constexpr std::array<std::string_view, 17> register_names{"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
                                                          "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip"};
constexpr std::array<int, 6> argument_registers{5, 4, 1, 2, 8, 9};  // rdi rsi rdx rcx r8 r9

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw Error(fmt::format("--watch {}: {}", text, why),
              "Give a piece of memory, --watch '*(float*)0x7f12a0' or '*(double*)($rdi+16)', or a tensor's element, --watch 'self[0,1]'.");
}

std::string trimmed(std::string text) {
  const auto first = text.find_first_not_of(' ');
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::int64_t integer(const std::string& text, const std::string& whole) {
  const std::string digits = trimmed(text);
  std::int64_t value = 0;
  const auto end = digits.data() + digits.size();
  if (digits.empty() || std::from_chars(digits.data(), end, value).ptr != end) refuse(whole, fmt::format("'{}' is no integer", digits));
  return value;
}

/// The parameters of a demangled function; empty if it shows none.
std::vector<std::string> parameters_of(const std::string& full) {
  std::size_t end = full.rfind(')');
  if (end == full.npos) return {};
  int depth = 0;
  std::size_t begin = end;
  for (;; --begin) {
    if (full[begin] == ')') ++depth;
    if (full[begin] == '(' && --depth == 0) break;
    if (begin == 0) return {};
  }
  std::vector<std::string> all;
  std::string current;
  depth = 0;
  for (std::size_t i = begin + 1; i < end; ++i) {
    const char c = full[i];
    depth += (c == '(' || c == '<') - (c == ')' || c == '>');
    if (c == ',' && depth == 0)
      all.push_back(trimmed(current)), current.clear();
    else
      current += c;
  }
  if (!trimmed(current).empty()) all.push_back(trimmed(current));
  return all;
}

bool is_tensor(const std::string& parameter) { return parameter.rfind("at::Tensor", 0) == 0; }

/// The number of the parameter that a name without debug information means.
std::optional<std::size_t> parameter_number(const std::string& name, const std::vector<std::string>& parameters) {
  if (name.rfind("arg", 0) == 0 && name.size() > 3 && name.size() < 6) {
    std::size_t number = 0;
    const auto end = name.data() + name.size();
    if (std::from_chars(name.data() + 3, end, number).ptr == end && number < parameters.size()) return number;
    return std::nullopt;
  }
  const auto first = std::find_if(parameters.begin(), parameters.end(), is_tensor);
  if (name != "self" || first == parameters.end()) return std::nullopt;
  return static_cast<std::size_t>(first - parameters.begin());
}

/// A reference to a tensor stands in a register, behind that for the result where the function returns one.
std::optional<SeenTensor> tensor_argument(const WatchStop& stop, const std::string& name) {
  const auto number = parameter_number(name, parameters_of(stop.function));
  if (!number || stop.stack.frames.empty()) return std::nullopt;
  const auto& registers = stop.stack.frames.front().registers;
  for (const std::size_t at : {*number + 1, *number}) {
    if (at >= argument_registers.size() || !registers.has(argument_registers[at])) continue;
    const Address reference{registers.value[static_cast<std::size_t>(argument_registers[at])]};
    const auto impl = stop.memory.pointer(reference);
    if (auto tensor = impl ? read_torch_tensor(stop.modules, stop.memory, *impl) : std::nullopt) return tensor;
  }
  return std::nullopt;
}

}  // namespace

WatchExpression WatchExpression::parse(const std::string& text) {
  static const std::regex memory(R"(\s*\*\s*\(\s*(?:const\s+)?([\w ]+?(?:\s*\*)?)\s*\*\s*\)\s*(.+?)\s*)");
  static const std::regex element(R"(\s*([A-Za-z_][\w.]*(?:->[\w.]+)*)\s*\[([^\]]*)\]\s*)");
  WatchExpression expression;
  expression.text_ = text;
  std::smatch match;
  if (std::regex_match(text, match, memory)) {
    expression.type_ = match[1];
    if (!size_of_type(expression.type_)) refuse(text, fmt::format("'{}' is no type of a number that is known", expression.type_));
    if (size_of_type(expression.type_) > 8)
      refuse(text, fmt::format("a '{}' is larger than the 8 bytes that the processor can watch", expression.type_));
    std::string where = match[2];
    if (where.front() == '(' && where.back() == ')') where = trimmed(where.substr(1, where.size() - 2));
    if (const auto plus = where.rfind('+'); plus != where.npos && plus > 0) {
      expression.offset_ = integer(where.substr(plus + 1), text);
      where = trimmed(where.substr(0, plus));
    }
    expression.where_ = where;
  } else if (std::regex_match(text, match, element)) {
    expression.is_element_ = true;
    expression.where_ = match[1];
    const std::string list = match[2];
    for (std::size_t from = 0; from <= list.size();) {
      const auto comma = std::min(list.find(',', from), list.size());
      expression.indices_.push_back(integer(list.substr(from, comma - from), text));
      from = comma + 1;
    }
  } else {
    refuse(text, "it is neither");
  }
  return expression;
}

std::optional<Address> WatchExpression::address(const WatchStop& stop, std::string* why_not) const {
  const auto with_offset = [&](std::uint64_t base) { return Address{base + static_cast<std::uint64_t>(offset_)}; };
  if (where_.front() == '$') {
    const auto found = std::find(register_names.begin(), register_names.end(), std::string_view(where_).substr(1));
    const auto number = found - register_names.begin();
    if (found == register_names.end() || stop.stack.frames.empty() || !stop.stack.frames.front().registers.has(static_cast<int>(number))) {
      *why_not = fmt::format("there is no register {}", where_);
      return std::nullopt;
    }
    return with_offset(stop.stack.frames.front().registers.value[static_cast<std::size_t>(number)]);
  }
  std::uint64_t literal = 0;
  const bool hex = where_.rfind("0x", 0) == 0;
  const auto end = where_.data() + where_.size();
  if (std::from_chars(where_.data() + (hex ? 2 : 0), end, literal, hex ? 16 : 10).ptr == end) return with_offset(literal);
  const auto value = stop.look_up(where_, why_not);
  if (!value) return std::nullopt;
  if (!value->bits) {
    *why_not = fmt::format("{} is no pointer", where_);
    return std::nullopt;
  }
  return with_offset(*value->bits);
}

std::optional<WatchTarget> WatchExpression::element(const WatchStop& stop, std::string* why_not) const {
  auto tensor = stop.tensor(where_);
  if (!tensor) tensor = tensor_argument(stop, where_);
  if (!tensor) {
    *why_not = fmt::format("{} is no tensor that can be read at {}", where_, stop.function);
    return std::nullopt;
  }
  const auto address = element_of(*tensor, indices_, why_not);
  if (!address) return std::nullopt;
  return WatchTarget{{*address, std::min(size_of_type(tensor->dtype), 8)}, tensor->dtype};
}

std::optional<WatchTarget> WatchExpression::resolve(const WatchStop& stop, std::string* why_not) const {
  if (is_element_) return element(stop, why_not);
  const auto at = address(stop, why_not);
  if (!at) return std::nullopt;
  const int size = size_of_type(type_);
  if (at->value % static_cast<std::uint64_t>(size) != 0) {
    *why_not = fmt::format("{:#x} is not a multiple of {}: the processor watches aligned memory only", at->value, size);
    return std::nullopt;
  }
  return WatchTarget{{*at, size}, type_};
}

}  // namespace callpath::session
