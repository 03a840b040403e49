#include "values/paths.hpp"

#include <array>
#include <cctype>
#include <charconv>

#include "values/types.hpp"

namespace callpath::dw {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

std::string word_at(const std::string& s, std::size_t& i) {
  const auto begin = i;
  while (i < s.size() && is_word(s[i])) ++i;
  return s.substr(begin, i - begin);
}

std::optional<std::uint64_t> whole_number(const std::string& s) {
  std::uint64_t n = 0;
  const auto [end, failed] = std::from_chars(s.data(), s.data() + s.size(), n);
  return failed == std::errc() && end == s.data() + s.size() && !s.empty() ? std::optional(n) : std::nullopt;
}

bool subscript(const std::string& s, std::size_t& i, Path& path) {
  const bool take = i + 1 < s.size() && s[i + 1] == '*';
  const auto begin = i + (take ? 2 : 1);
  int open = 0;
  for (i = begin; i < s.size() && (s[i] != ']' || open > 0); ++i) open += s[i] == '[' ? 1 : s[i] == ']' ? -1 : 0;
  if (i >= s.size()) return false;
  const auto inside = s.substr(begin, i++ - begin);
  const auto n = whole_number(inside);
  if (!take && !n) return false;
  if (take && inside.empty()) return false;
  path.steps.push_back({take ? PathStep::Kind::take : PathStep::Kind::index, n ? std::string() : inside, n.value_or(0)});
  return true;
}

bool member(const std::string& s, std::size_t& i, Path& path) {
  i += s[i] == '.' ? 1 : 2;
  const auto name = word_at(s, i);
  if (name.empty()) return false;
  path.steps.push_back({PathStep::Kind::member, name, 0});
  return true;
}

/// Where classes that act as arrays keep their first element: std::array, std::vector, ArrayRef, small vectors.
std::optional<Object> data_of(const Memory& memory, const Object& object) {
  static const std::array<std::vector<std::string>, 7> places = {
      {{"_M_elems"}, {"_M_impl", "_M_start"}, {"Data"}, {"data_"}, {"begin_"}, {"BeginX"}, {"_M_ptr"}}};
  for (const auto& place : places) {
    Found at{object, {}};
    for (const auto& name : place)
      if (at) at = find_member(memory, *at.object, name);
    if (at) return at.object;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Path> parse_path(const std::string& text, std::string* reason) {
  Path path;
  std::size_t i = 0;
  path.variable = word_at(text, i);
  path.members = text.substr(i);
  bool good = !path.variable.empty() && !std::isdigit(static_cast<unsigned char>(path.variable[0]));
  while (good && i < text.size()) {
    if (text[i] == '.' || text.compare(i, 2, "->") == 0)
      good = member(text, i, path);
    else if (text[i] == '[')
      good = subscript(text, i, path);
    else
      good = false;
    if (path.steps.size() > 32) good = false;
    if (good && path.steps.size() > 1 && path.steps[path.steps.size() - 2].kind == PathStep::Kind::take) good = false;
  }
  if (good) return path;
  *reason = "\"" + text + "\" is not a path such as name.member[0]";
  return std::nullopt;
}

Found element(const Memory& memory, const Object& given, std::uint64_t index) {
  const auto followed = without_reference(memory, given);
  if (!followed) return followed;
  const Object& whole = *followed.object;
  switch (kind_of(whole.type)) {
    case TypeKind::array: {
      const auto d = dimensions_of(*peeled(whole.type));
      if (d.counts.size() != 1) return Found::none("an array of several dimensions");
      if (d.counts[0] && index >= d.counts[0]) return Found::none("there are only " + std::to_string(d.counts[0]) + " elements");
      return {whole.part(index * byte_size(d.element), d.element, byte_size(d.element)), {}};
    }
    case TypeKind::pointer: {
      auto first = follow(memory, whole);
      if (!first) return first;
      const auto size = byte_size(first.object->type);
      if (size == 0) return Found::none("it points to something without a size");
      return {first.object->part(index * size, first.object->type, size), {}};
    }
    case TypeKind::structure:
      if (const auto data = data_of(memory, whole)) return element(memory, *data, index);
      [[fallthrough]];
    default:
      return Found::none("it has no elements");
  }
}

Found walk_step(const Memory& memory, Object object, const PathStep& step) {
  return step.kind == PathStep::Kind::member ? find_member(memory, std::move(object), step.name) : element(memory, object, step.count);
}

}  // namespace callpath::dw
