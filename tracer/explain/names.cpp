#include "explain/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "explain/text.hpp"

namespace callpath {
namespace {

// Past the bracket that closes the one at `at`; the end if it is not closed. "->" and operator names do not count as brackets.
std::size_t past_bracket(std::string_view s, std::size_t at) {
  std::vector<char> open;
  for (std::size_t i = at; i < s.size(); ++i) {
    char c = s[i];
    if (c == '>' && i > 0 && s[i - 1] == '-') continue;
    if (c == '(' || c == '{' || c == '[')
      open.push_back(c);
    else if (c == '<' && (open.empty() || open.back() != '(' || i == at || s[i - 1] != ' '))
      open.push_back(c);
    else if (c == ')' || c == '}' || c == ']') {
      while (!open.empty() && open.back() == '<') open.pop_back();
      if (!open.empty()) open.pop_back();
    } else if (c == '>' && !open.empty() && open.back() == '<')
      open.pop_back();
    if (open.empty()) return i + 1;
  }
  return s.size();
}

bool word(char c) {
  return c == '_' || c == '$' || c == '.' || c == '~' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || (c & 0x80);
}

// "operator()", "operator<<", "operator bool": from `at`, where "operator" stands.
std::size_t past_operator(std::string_view s, std::size_t at) {
  std::size_t i = at + 8;
  if (s.substr(i, 2) == "()") return i + 2;
  if (i < s.size() && s[i] == ' ') return std::min(s.find('(', i), s.size());
  while (i < s.size() && s[i] != '(' && s[i] != ' ' && !word(s[i])) ++i;
  return i;
}

// The parts of a demangled name, outermost first, without template arguments and parameters.
std::vector<std::string> parts_of(std::string_view s) {
  static constexpr std::string_view anonymous = "(anonymous namespace)";
  std::vector<std::string> parts;
  std::string now;
  for (std::size_t i = 0; i < s.size();) {
    std::string_view rest = s.substr(i);
    if (rest.starts_with(anonymous))
      i += anonymous.size();
    else if (rest.starts_with("{") || rest.starts_with("'"))
      i = rest[0] == '{' ? past_bracket(s, i) : i + 1;
    else if (now.empty() && rest.starts_with("operator") && (rest.size() == 8 || !word(rest[8]))) {
      auto end = past_operator(s, i);
      now = std::string(s.substr(i, end - i));
      i = end;
    } else if (rest.starts_with("::")) {
      if (!now.empty()) parts.push_back(std::move(now));
      now.clear();
      i += 2;
    } else if (rest[0] == '<')
      i = past_bracket(s, i);
    else if (rest[0] == '(' && now == "decltype")
      i = past_bracket(s, i);
    else if (rest[0] == '(' && s.find("::", past_bracket(s, i)) != past_bracket(s, i))
      break;
    else if (rest[0] == '(')
      i = past_bracket(s, i);
    else if (rest.starts_with(" <") && now.starts_with("operator"))
      ++i;
    else if (rest[0] == '[')
      break;
    else if (rest[0] == ' ' || rest[0] == '*' || rest[0] == '&')
      parts.clear(), now.clear(), ++i;
    else
      now += rest[0], ++i;
  }
  if (!now.empty()) parts.push_back(std::move(now));
  return parts;
}

// Namespaces that say whose code it is and no more.
bool plain_namespace(std::string_view part) {
  static constexpr std::array names = {"tensorlib", "torch",   "at",   "c10",    "std", "__gnu_cxx", "native", "autograd", "impl",
                                       "detail",    "DEFAULT", "AVX2", "AVX512", "__1", "__cxx11",   "cpu",    "internal", "vec"};
  return std::find(names.begin(), names.end(), part) != names.end();
}

}  // namespace

std::string file_name(std::string_view path) { return std::string(path.substr(path.find_last_of('/') + 1)); }

std::string display_name(const Frame& frame) {
  if (frame.kind == Kind::python || frame.name.starts_with("lambda") || frame.full.find("::") == std::string::npos)
    return printable(frame.name);
  // A name that was inferred is a phrase, not a path of namespaces.
  if (frame.confidence == Confidence::inferred) return printable(frame.name);
  auto parts = parts_of(frame.full);
  if (parts.empty()) return printable(frame.name);
  auto last = std::move(parts.back());
  // Of a stub's operator() annotate has made the stub's own name.
  if (frame.layer == Layer::stub && last.starts_with("operator") && !frame.name.starts_with("operator")) return printable(frame.name);
  parts.pop_back();
  std::erase_if(parts, [](const std::string& p) { return plain_namespace(p); });
  std::string out;
  for (std::size_t i = parts.size() > 2 ? parts.size() - 2 : 0; i < parts.size(); ++i) out += parts[i] + "::";
  return printable(out + last);
}

std::string place(const Frame& frame, const Recording& recording) {
  if (frame.source && !frame.source->file.empty()) {
    auto file = printable(file_name(frame.source->file));
    return frame.source->line ? fmt::format("{}:{}", file, *frame.source->line) : file;
  }
  if (!frame.module || *frame.module < 0 || static_cast<std::size_t>(*frame.module) >= recording.modules.size()) return {};
  auto module = printable(recording.modules[static_cast<std::size_t>(*frame.module)].name);
  return frame.offset ? fmt::format("{}+0x{:x}", module, *frame.offset) : module;
}

}  // namespace callpath
