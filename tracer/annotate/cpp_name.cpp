#include "annotate/cpp_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace callpath {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

constexpr std::string_view anonymous = "(anonymous namespace)";

// Longest first.
constexpr std::array<std::string_view, 42> operators{
    "<=>", "->*", "<<=", ">>=", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&",   "||",   "++",
    "--",  "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "()", "[]", "+",    "-",    "*",
    "/",   "%",   "^",   "&",   "|",  "~",  "!",  "=",  "<",  ">",  ",",  "\"\"", " new", " delete"};

/// Walks over a name one unit at a time: brackets with all they hold, operator names, single characters.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  enum class Unit { character, blank, angle, round, brace, square, operator_name, anonymous_namespace, quoted_lambda };
  struct Piece {
    Unit unit;
    std::size_t begin, end;
  };

  std::optional<Piece> next() {
    if (at_ >= text_.size()) return std::nullopt;
    const std::size_t begin = at_;
    const Unit unit = classify();
    switch (unit) {
      case Unit::operator_name:
        at_ = end_of_operator(begin);
        break;
      case Unit::anonymous_namespace:
        at_ += anonymous.size();
        break;
      case Unit::angle:
        at_ = after_angle(begin);
        break;
      case Unit::round:
        at_ = after_bracket(begin, '(', ')');
        break;
      case Unit::brace:
        at_ = after_bracket(begin, '{', '}');
        break;
      case Unit::square:
        at_ = after_bracket(begin, '[', ']');
        break;
      case Unit::quoted_lambda:
        at_ = after_quoted_lambda(begin);
        break;
      case Unit::blank:
      case Unit::character:
        ++at_;
    }
    return Piece{unit, begin, at_};
  }

 private:
  Unit classify() const {
    if (is_operator(at_)) return Unit::operator_name;
    if (text_.substr(at_, anonymous.size()) == anonymous) return Unit::anonymous_namespace;
    if (text_.substr(at_, 7) == "'lambda") return Unit::quoted_lambda;
    switch (text_[at_]) {
      case '<':
        return Unit::angle;
      case '(':
        return Unit::round;
      case '{':
        return Unit::brace;
      case '[':
        return Unit::square;
      case ' ':
        return Unit::blank;
      default:
        return Unit::character;
    }
  }

  bool is_operator(std::size_t at) const {
    if (text_.substr(at, 8) != "operator" || (at && is_word(text_[at - 1]))) return false;
    return at + 8 < text_.size() && !is_word(text_[at + 8]);
  }

  std::size_t end_of_operator(std::size_t at) const {
    const std::string_view rest = text_.substr(at + 8);
    const auto found = std::find_if(operators.begin(), operators.end(), [&](std::string_view o) { return rest.substr(0, o.size()) == o; });
    if (found != operators.end()) return at + 8 + found->size();
    // A conversion: the type up to its parameters.
    std::size_t i = at + 8;
    while (i < text_.size() && text_[i] != '(') i = text_[i] == '<' ? after_angle(i) : i + 1;
    return i;
  }

  std::size_t after_bracket(std::size_t at, char open, char close) const {
    for (int depth = 0; at < text_.size(); ++at) {
      if (text_[at] == open) ++depth;
      if (text_[at] == close && --depth == 0) return at + 1;
    }
    return text_.size();
  }

  // Template arguments: brackets in them hide what they hold, "->" closes nothing.
  std::size_t after_angle(std::size_t at) const {
    for (int depth = 0; at < text_.size();) {
      const char c = text_[at];
      if (c == '(')
        at = after_bracket(at, '(', ')');
      else if (c == '{')
        at = after_bracket(at, '{', '}');
      else if (is_operator(at))
        at = std::max(end_of_plain_operator(at), at + 8);
      else {
        if (c == '<') ++depth;
        if (c == '>' && text_[at - 1] != '-' && --depth == 0) return at + 1;
        ++at;
      }
    }
    return text_.size();
  }

  std::size_t end_of_plain_operator(std::size_t at) const {
    const std::string_view rest = text_.substr(at + 8);
    for (const auto o : operators)
      if (rest.substr(0, o.size()) == o) return at + 8 + o.size();
    return at + 8;
  }

  // 'lambda'(float), 'lambda0'(float): how LLVM's demangler writes it.
  std::size_t after_quoted_lambda(std::size_t at) const {
    const std::size_t quote = text_.find('\'', at + 1);
    if (quote == std::string_view::npos) return at + 1;
    return quote + 1 < text_.size() && text_[quote + 1] == '(' ? after_bracket(quote + 1, '(', ')') : quote + 1;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Whether nothing but the qualifiers of a member function follows.
bool only_qualifiers(std::string_view rest) {
  while (!rest.empty()) {
    if (rest[0] == ' ') {
      rest.remove_prefix(1);
      continue;
    }
    std::size_t length = 0;
    for (const std::string_view word : {"const", "volatile", "noexcept", "&&", "&"})
      if (!length && rest.substr(0, word.size()) == word) length = word.size();
    if (!length && rest[0] == '[') length = std::min(rest.find(']'), rest.size() - 1) + 1;
    if (!length || (length < rest.size() && is_word(rest[length]))) return false;
    rest.remove_prefix(length);
  }
  return true;
}

/// The name without return type in front and qualifiers behind.
std::string_view core(std::string_view full) {
  full = without_clone_suffix(full);
  Scanner scanner(full);
  std::size_t begin = 0;
  Scanner::Unit before = Scanner::Unit::character;
  while (const auto piece = scanner.next()) {
    if (piece->unit == Scanner::Unit::blank) {
      const std::string_view rest = full.substr(piece->end);
      const bool after_parameters = before == Scanner::Unit::round;
      if (after_parameters && only_qualifiers(rest.substr(0, 40))) return full.substr(begin, piece->begin - begin);
      // "operator< <int>" and "f() const::{lambda...}" are one name.
      const bool inside =
          (before == Scanner::Unit::operator_name && rest.substr(0, 1) == "<") || (after_parameters && rest.substr(0, 7) == "const::");
      if (!inside) begin = piece->end;
    }
    before = piece->unit;
  }
  return full.substr(begin);
}

bool at_start_of_part(std::string_view text, std::size_t at) { return at == 0 || text[at - 1] == ':'; }

/// "{lambda(float)#3}", "<lambda(float)>" or "'lambda'(float)" -> the text between the brackets, "float".
std::optional<std::string_view> lambda_in(std::string_view text, const Scanner::Piece& piece) {
  const std::string_view part = text.substr(piece.begin, piece.end - piece.begin);
  const bool lambda = part.substr(0, 8) == "{lambda(" || (part.substr(0, 8) == "<lambda(" && at_start_of_part(text, piece.begin)) ||
                      piece.unit == Scanner::Unit::quoted_lambda;
  if (!lambda) return std::nullopt;
  const std::size_t open = part.find('('), close = part.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::string_view{};
  return part.substr(open + 1, close - open - 1);
}

std::vector<std::string> split_arguments(std::string_view list) {
  std::vector<std::string> out;
  std::string current;
  const auto finish = [&] {
    const std::size_t first = current.find_first_not_of(' '), last = current.find_last_not_of(' ');
    out.push_back(first == std::string::npos ? "" : current.substr(first, last - first + 1));
    current.clear();
  };
  Scanner scanner(list);
  while (const auto piece = scanner.next()) {
    const std::string_view part = list.substr(piece->begin, piece->end - piece->begin);
    if (part == ",")
      finish();
    else
      current += part;
  }
  if (!current.empty() || !out.empty()) finish();
  return out;
}

std::string plain_piece(std::string_view text, const Scanner::Piece& piece) {
  const std::string_view part = text.substr(piece.begin, piece.end - piece.begin);
  if (lambda_in(text, piece)) return "{lambda}";
  switch (piece.unit) {
    case Scanner::Unit::angle:
    case Scanner::Unit::round:
    case Scanner::Unit::square:
      return {};
    case Scanner::Unit::brace: {
      std::size_t end = 1;
      while (end < part.size() && (is_word(part[end]) || part[end] == ' ')) ++end;
      return std::string(part.substr(0, end)) + "}";
    }
    default:
      return std::string(part);
  }
}

// "0ul" -> "0": demanglers differ in how they write the type of a literal.
bool begins_literal_suffix(std::string_view text, std::size_t at) {
  if (at == 0 || !std::isdigit(static_cast<unsigned char>(text[at - 1])) || (text[at] != 'u' && text[at] != 'l')) return false;
  std::size_t digit = at;
  while (digit && std::isdigit(static_cast<unsigned char>(text[digit - 1]))) --digit;
  if (digit && is_word(text[digit - 1])) return false;
  std::size_t end = at;
  while (end < text.size() && (text[end] == 'u' || text[end] == 'l')) ++end;
  return end == text.size() || !is_word(text[end]);
}

// One pass: blanks that separate no words, numbers of lambdas and unnamed types, ABI tags, literal suffixes.
std::string canonical(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (text.substr(i, 5) == "[abi:") {
      i = std::min(text.find(']', i), text.size() - 1);
    } else if (text.substr(i, 6) == "(void)") {
      out += "()";
      i += 5;
    } else if (c == '#') {
      while (i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1]))) ++i;
    } else if (c == ' ') {
      if (!out.empty() && is_word(out.back()) && i + 1 < text.size() && is_word(text[i + 1])) out += ' ';
    } else if (begins_literal_suffix(text, i)) {
      while (i + 1 < text.size() && (text[i + 1] == 'u' || text[i + 1] == 'l')) ++i;
    } else {
      out += c;
    }
  }
  return out;
}

// <lambda(float)> and 'lambda'(float) in the spelling of GCC's demangler, at every depth where they begin a part of a name.
std::string with_gcc_lambdas(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const bool angle = text.substr(i, 8) == "<lambda(" && (i == 0 || text[i - 1] == ':');
    if (!angle && text.substr(i, 7) != "'lambda") {
      out += text[i++];
      continue;
    }
    Scanner scanner(text.substr(i));
    const auto piece = scanner.next();
    const auto inner = lambda_in(text.substr(i), *piece);
    out += "{lambda(" + std::string(inner.value_or("")) + ")}";
    i += piece->end;
  }
  return out;
}

/// Where the parameters of the last function begin, if the name ends in some.
std::optional<std::size_t> parameters_at(std::string_view name) {
  Scanner scanner(name);
  std::optional<std::size_t> at;
  while (const auto piece = scanner.next()) at = piece->unit == Scanner::Unit::round ? std::optional(piece->begin) : std::nullopt;
  return at;
}

bool is_clone_word(std::string_view word) {
  for (const std::string_view known : {"constprop", "isra", "part", "cold", "lto_priv", "localalias", "llvm", "unlikely", "resolver"})
    if (word == known) return true;
  return false;
}

}  // namespace

std::string_view without_clone_suffix(std::string_view full) {
  if (const std::size_t clone = full.find(" [clone "); clone != std::string_view::npos) full = full.substr(0, clone);
  for (;;) {
    const std::size_t dot = full.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return full;
    const std::string_view last = full.substr(dot + 1);
    const bool number =
        !last.empty() && std::all_of(last.begin(), last.end(), [](char c) { return std::isdigit(static_cast<unsigned char>(c)); });
    if (!number && !is_clone_word(last)) return full;
    const std::size_t before = number ? full.substr(0, dot).rfind('.') : dot;
    if (number && (before == std::string_view::npos || !is_clone_word(full.substr(before + 1, dot - before - 1)))) return full;
    full = full.substr(0, dot);
  }
}

std::string plain_name(std::string_view full) {
  const std::string_view name = core(full);
  std::string out;
  int skip_const = 0;  // Characters of "const" within a name: "f() const::{lambda}".
  Scanner scanner(name);
  while (const auto piece = scanner.next()) {
    if (piece->unit == Scanner::Unit::blank) {
      skip_const = name.substr(piece->end, 7) == "const::" ? 5 : 0;
      continue;
    }
    if (skip_const)
      --skip_const;
    else
      out += plain_piece(name, *piece);
  }
  out.erase(0, std::min(out.find_first_not_of("*&"), out.size()));
  return out;
}

std::string comparable_name(std::string_view full) { return canonical(with_gcc_lambdas(core(full))); }

std::string comparable_without_parameters(std::string_view full) {
  const std::string name = comparable_name(full);
  return name.substr(0, parameters_at(name).value_or(name.size()));
}

bool has_parameters(std::string_view full) { return parameters_at(core(full)).has_value(); }

std::vector<std::string> template_arguments(std::string_view full) {
  const std::string_view name = core(full);
  std::string_view last;
  Scanner scanner(name);
  while (const auto piece = scanner.next())
    if (piece->unit == Scanner::Unit::angle && !lambda_in(name, *piece) && piece->end - piece->begin >= 2)
      last = name.substr(piece->begin + 1, piece->end - piece->begin - 2);
  return split_arguments(last);
}

std::vector<std::string> lambda_parameters(std::string_view full) {
  const std::string_view name = core(full);
  std::string_view last;
  Scanner scanner(name);
  while (const auto piece = scanner.next())
    if (const auto parameters = lambda_in(name, *piece)) last = *parameters;
  return split_arguments(last);
}

int lambda_depth(std::string_view full) {
  const std::string_view name = core(full);
  int depth = 0;
  Scanner scanner(name);
  while (const auto piece = scanner.next()) depth += lambda_in(name, *piece).has_value();
  return depth;
}

}  // namespace callpath
