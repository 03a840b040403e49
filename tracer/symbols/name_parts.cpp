#include "symbols/name_parts.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "symbols/symbols.hpp"

namespace callpath::dw {
namespace {

constexpr std::string_view anonymous_namespace = "(anonymous namespace)";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80); }

char closing(char open) { return open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '>'; }

}  // namespace

std::size_t operator_length(std::string_view s, std::size_t at) {
  constexpr std::string_view word = "operator";
  if (s.substr(at, word.size()) != word || (at > 0 && is_word(s[at - 1]))) return 0;
  std::size_t i = at + word.size();
  if (i >= s.size() || is_word(s[i])) return 0;
  if (s.substr(i, 2) == "()" || s.substr(i, 2) == "[]") return i + 2 - at;
  static constexpr std::array<std::string_view, 8> spaced = {" new[]",    " delete[]", " new",  " delete",
                                                             " co_await", "\"\" ",     " \"\"", "\"\""};
  for (auto name : spaced) {
    if (s.substr(i, name.size()) != name) continue;
    i += name.size();
    if (name.find('"') != name.npos)
      while (i < s.size() && (is_word(s[i]) || s[i] == ' ')) ++i;
    return i - at;
  }
  static constexpr std::string_view signs = "+-*/%^&|~!=<>,";
  static constexpr std::array<std::string_view, 3> three = {"<=>", "<<=", ">>="};
  static constexpr std::array<std::string_view, 20> two = {"->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&",
                                                           "||", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", ",,"};
  if (s.substr(i, 3) == "->*") return i + 3 - at;
  for (auto t : three)
    if (s.substr(i, 3) == t) return i + 3 - at;
  for (auto t : two)
    if (s.substr(i, 2) == t) return i + 2 - at;
  if (signs.find(s[i]) != signs.npos) return i + 1 - at;
  if (s[i] != ' ') return 0;
  // Conversion: the type ends at the last "(...)" group; "operator void (*)()() const" has three.
  int angle = 0;
  std::size_t end = s.size();
  for (std::size_t j = i; j < s.size(); ++j) {
    if (s[j] == '<') ++angle;
    if (s[j] == '>' && s[j - 1] != '-') --angle;
    if (s[j] != '(' || angle != 0) continue;
    if (s.substr(j, anonymous_namespace.size()) == anonymous_namespace) continue;
    if (s.substr(j, 2) == "(*" || s.substr(j, 2) == "(&") {  // a pointer to function: its own parameters follow
      const auto close = s.find(')', j);
      const auto next = close == s.npos ? s.npos : s.find(')', close + 1);
      if (next == s.npos) return s.size() - at;
      j = next;
      continue;
    }
    end = j;
    break;
  }
  return end - at;
}

namespace {

/// One past the bracket that closes the one at `at`; the end of the text if it is never closed.
std::size_t skip_brackets(std::string_view s, std::size_t at) {
  std::string open;
  for (std::size_t i = at; i < s.size(); ++i) {
    const char c = s[i];
    if (c == 'o')
      if (const auto length = operator_length(s, i); length > 8 && s[i + 8] != ' ') {
        i += length - 1;
        continue;
      }
    if (c == '(' || c == '[' || c == '{' || (c == '<' && (open.empty() || open.back() != ')'))) {
      open.push_back(closing(c));
    } else if (c == '<') {
      open.push_back('>');
    } else if (c == ')' || c == ']' || c == '}') {
      while (!open.empty() && open.back() == '>' && c != '>') open.pop_back();  // "(a > b)": an angle bracket that was a sign
      if (!open.empty()) open.pop_back();
    } else if (c == '>' && !(i > 0 && s[i - 1] == '-') && !open.empty() && open.back() == '>') {
      open.pop_back();
    }
    if (open.empty()) return i + 1;
  }
  return s.size();
}

/// " const", "&", " [abi:cxx11]" and the like after parameters.
std::size_t skip_qualifiers(std::string_view s, std::size_t i) {
  static constexpr std::array<std::string_view, 7> words = {" const", " volatile", " &&", " &", "&&", "&", " noexcept"};
  for (bool again = true; again;) {
    again = false;
    for (auto w : words)
      if (s.substr(i, w.size()) == w) i += w.size(), again = true;
  }
  return i;
}

class Parser {
 public:
  explicit Parser(std::string_view s) : s_(s) {}

  std::vector<NamePart> run() {
    while (i_ < s_.size() && !done_) step();
    if (!done_) finish(s_.size(), {}, s_.size());
    return std::move(parts_);
  }

 private:
  void step() {
    const char c = s_[i_];
    if (const auto length = c == 'o' ? operator_length(s_, i_) : 0) {
      base_ += s_.substr(i_, length);
      i_ += length;
      if (s_.substr(i_, 2) == " <") ++i_;  // "operator< <int>"
    } else if (c == '<') {
      const auto end = skip_brackets(s_, i_);
      if (base_.empty()) base_ += s_.substr(i_, end - i_);  // "<lambda(float)>" is a name, not arguments
      i_ = end;
    } else if (c == '{' || c == '[') {
      const auto end = skip_brackets(s_, i_);
      if (c == '{') base_ += s_.substr(i_, end - i_);  // "[abi:cxx11]" is dropped
      i_ = end;
    } else if (c == '\'') {
      llvm_lambda();
    } else if (c == '(') {
      parenthesis();
    } else if (s_.substr(i_, 2) == "::") {
      finish(i_, {}, i_);
      i_ += 2;
      begin_ = i_;
    } else if (c == ' ') {
      restart(i_ + 1);  // what came before was a return type
    } else if (c == '*' || c == '&') {
      restart(i_ + 1);
    } else {
      base_ += c;
      ++i_;
    }
  }

  /// 'lambda'(float) and 'lambda0'(float), as LLVM's demangler writes.
  void llvm_lambda() {
    auto end = s_.find('\'', i_ + 1);
    end = end == s_.npos ? s_.size() : end + 1;
    if (end < s_.size() && s_[end] == '(') end = skip_brackets(s_, end);
    base_ += s_.substr(i_, end - i_);
    i_ = end;
  }

  void parenthesis() {
    if (s_.substr(i_, anonymous_namespace.size()) == anonymous_namespace) {
      base_ += anonymous_namespace;
      i_ += anonymous_namespace.size();
      return;
    }
    if (base_.empty()) {  // "decltype (x) f()", or "void (*f(int))(float)", a function that returns a pointer to function
      const char next = i_ + 1 < s_.size() ? s_[i_ + 1] : 0;
      if (next == '*' || next == '&') return restart(i_ + 2);
      i_ = skip_brackets(s_, i_);
      return;
    }
    const auto end = skip_brackets(s_, i_);
    const auto after = skip_qualifiers(s_, end);
    finish(i_, s_.substr(i_, end - i_), after);
    if (s_.substr(after, 2) == "::") {
      i_ = after + 2;
      begin_ = i_;
    } else {
      done_ = true;
    }
  }

  void restart(std::size_t at) {
    parts_.clear();
    base_.clear();
    i_ = begin_ = at;
  }

  void finish(std::size_t text_end, std::string_view parameters, std::size_t end) {
    if (!base_.empty()) parts_.push_back({s_.substr(begin_, text_end - begin_), std::move(base_), parameters, end});
    base_.clear();
  }

  std::string_view s_;
  std::size_t i_ = 0, begin_ = 0;
  std::string base_;
  std::vector<NamePart> parts_;
  bool done_ = false;
};

/// "{lambda(float)#3}", "<lambda(float)>", "'lambda0'(float)" -> "lambda(float)"; clang's "$_0" -> "lambda" and the operator's parameters.
std::string lambda_display(const NamePart& lambda, const NamePart& call) {
  std::string_view text = lambda.base;
  if (text[0] == '$') return "lambda" + std::string(call.parameters);
  if (text[0] == '\'') {
    const auto quote = text.find('\'', 1);
    return "lambda" + std::string(quote == text.npos ? std::string_view{} : text.substr(quote + 1));
  }
  text.remove_prefix(1);
  const auto end = text[text.size() - 1] == '>' ? text.size() - 1 : std::min(text.rfind('#'), text.rfind('}'));
  return std::string(text.substr(0, end));
}

bool calls_lambda(const std::string& base) { return base == "operator()" || base == "_FUN" || base == "__invoke"; }

}  // namespace

bool NamePart::is_lambda() const {
  return base.rfind("{lambda", 0) == 0 || base.rfind("<lambda", 0) == 0 || base.rfind("'lambda", 0) == 0 || base.rfind("$_", 0) == 0;
}

std::string_view without_clone_suffix(std::string_view name) {
  if (const auto clone = name.find(" [clone "); clone != name.npos) return name.substr(0, clone);
  static constexpr std::array<std::string_view, 10> suffixes = {"constprop",  "isra", "part",   "cold",  "lto_priv",
                                                                "localalias", "llvm", "__uniq", "clone", "warm"};
  for (auto dot = name.find('.', 1); dot != name.npos; dot = name.find('.', dot + 1)) {
    const auto rest = name.substr(dot + 1);
    const bool number = !rest.empty() && std::all_of(rest.begin(), rest.end(),
                                                     [](char c) { return std::isdigit(static_cast<unsigned char>(c)) || c == '.'; });
    const bool known = std::any_of(suffixes.begin(), suffixes.end(), [&](auto s) {
      return rest.substr(0, s.size()) == s && (rest.size() == s.size() || rest[s.size()] == '.');
    });
    if (number || known) return name.substr(0, dot);
  }
  return name;
}

std::vector<NamePart> name_parts(std::string_view full) {
  const auto name = without_clone_suffix(full);
  auto parts = Parser(name).run();
  if (parts.empty() && !full.empty()) parts.push_back({name, std::string(name), {}, name.size()});
  return parts;
}

std::string qualified_name(const std::vector<NamePart>& parts) {
  std::string text;
  for (const auto& p : parts) text += (text.empty() ? "" : "::") + p.base;
  return text;
}

std::string enclosing_function(std::string_view full, const std::vector<NamePart>& parts) {
  if (parts.size() < 3 || !calls_lambda(parts.back().base) || !parts[parts.size() - 2].is_lambda()) return {};
  const auto& outer = parts[parts.size() - 3];
  if (outer.parameters.empty()) return {};  // a namespace or class: the lambda initialises a variable or member
  const auto begin = static_cast<std::size_t>(parts.front().text.data() - full.data());
  return std::string(full.substr(begin, outer.end - begin));
}

std::string lambda_origin(const std::vector<NamePart>& parts) {
  std::string text;
  std::size_t left = parts.size();
  while (left >= 2 && parts[left - 2].is_lambda() && calls_lambda(parts[left - 1].base)) {
    const std::string& base = parts[left - 2].base;
    const auto number = base[0] == '{' ? base.rfind('#') : base.npos;
    if (!text.empty()) text += " in ";
    text += "lambda";
    if (number != base.npos) text += " " + base.substr(number, base.size() - 1 - number);
    left -= 2;
  }
  if (text.empty() || left == 0) return text;
  return text + " in " + parts[left - 1].base;
}

std::string short_name(const std::vector<NamePart>& parts) {
  if (parts.empty()) return {};
  const auto& last = parts.back();
  if (parts.size() >= 2 && parts[parts.size() - 2].is_lambda() && calls_lambda(last.base))
    return lambda_display(parts[parts.size() - 2], last);
  if (last.is_lambda()) return lambda_display(last, last);
  return last.base;
}

}  // namespace callpath::dw

namespace callpath {

std::string short_name(const std::string& full) { return dw::short_name(dw::name_parts(full)); }

}  // namespace callpath
