#include "session/condition.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <map>

#include "core/error.hpp"
#include "values/paths.hpp"

namespace callpath::session {

/// A cursor over the text.
class ConditionParser {
 public:
  explicit ConditionParser(const std::string& text) : text_(text) {}

  Condition parse() {
    Condition condition;
    condition.text_ = text_;
    skip_blanks();
    if (at_ == text_.size()) return condition;
    do condition.any_of_.push_back(all_of());
    while (take("||"));
    if (at_ != text_.size()) fail("expected && or || or the end");
    return condition;
  }

 private:
  std::vector<Condition::Comparison> all_of() {
    std::vector<Condition::Comparison> all;
    do all.push_back(comparison());
    while (take("&&"));
    return all;
  }

  Condition::Comparison comparison() {
    Condition::Comparison result;
    result.path = path();
    result.op = op();
    result.literal = literal();
    return result;
  }

  /// An identifier followed by members and indices: "iter.shape_[0]"; "->" counts as ".".
  std::string path() {
    skip_blanks();
    std::string name;
    if (at_ == text_.size() || !(std::isalpha(peek()) || peek() == '_')) fail("expected the name of a variable");
    while (at_ < text_.size()) {
      if (text_.compare(at_, 2, "->") == 0) {
        name += '.';
        at_ += 2;
      } else if (std::isalnum(peek()) || std::string("_.[]*:").find(text_[at_]) != std::string::npos) {
        name += text_[at_++];
      } else {
        break;
      }
    }
    if (std::string why; !dw::parse_path(name, &why)) fail(why);
    return name;
  }

  Condition::Operator op() {
    using enum Condition::Operator;
    const std::pair<const char*, Condition::Operator> operators[] = {{"==", equal},         {"!=", not_equal}, {"<=", less_equal},
                                                                     {">=", greater_equal}, {"<", less},       {">", greater}};
    for (const auto& [text, value] : operators)
      if (take(text)) return value;
    fail("expected one of == != < <= > >=");
  }

  nlohmann::json literal() {
    skip_blanks();
    if (at_ == text_.size()) fail("expected a number, true, false or a string in quotes");
    if (peek() == '"' || peek() == '\'') return quoted();
    if (take_word("true")) return true;
    if (take_word("false")) return false;
    return number();
  }

  nlohmann::json quoted() {
    char quote = text_[at_];
    std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string::npos) fail("the string does not end");
    std::string value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    skip_blanks();
    return value;
  }

  nlohmann::json number() {
    const char* begin = text_.c_str() + at_;
    char *end = nullptr, *integer_end = nullptr;
    double value = std::strtod(begin, &end);
    long long integer = std::strtoll(begin, &integer_end, 0);
    if (end == begin || std::isalpha(static_cast<unsigned char>(*begin))) fail("expected a number, true, false or a string in quotes");
    at_ += static_cast<std::size_t>(end - begin);
    skip_blanks();
    if (integer_end == end) return integer;
    return value;
  }

  unsigned char peek() const { return static_cast<unsigned char>(text_[at_]); }
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(peek())) ++at_;
  }
  bool take(const std::string& token) {
    skip_blanks();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    skip_blanks();
    return true;
  }
  bool take_word(const std::string& word) {
    std::size_t end = at_ + word.size();
    if (text_.compare(at_, word.size(), word) != 0 || (end < text_.size() && std::isalnum(static_cast<unsigned char>(text_[end]))))
      return false;
    return take(word);
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("the condition '{}' is wrong at character {}: {}", text_, at_ + 1, what),
                "Example: --if 'exp == 3 && numel > 16'");
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

namespace {

template <class T>
bool ordered(Condition::Operator op, const T& a, const T& b) {
  switch (op) {
    case Condition::Operator::equal:
      return a == b;
    case Condition::Operator::not_equal:
      return !(a == b);
    case Condition::Operator::less:
      return a < b;
    case Condition::Operator::less_equal:
      return a <= b;
    case Condition::Operator::greater:
      return a > b;
    case Condition::Operator::greater_equal:
      return a >= b;
  }
  return false;
}

bool is_boolean_like(const nlohmann::json& value) { return value.is_boolean() || value.is_number(); }

}  // namespace

Condition Condition::parse(const std::string& text) { return ConditionParser(text).parse(); }

Condition::Answer Condition::compare(const Comparison& comparison, const LookUp& look_up, std::string* why_not) {
  auto to_answer = [](bool yes) { return yes ? Answer::yes : Answer::no; };
  std::string why;
  auto found = look_up(comparison.path, &why);
  auto unknown = [&](const std::string& what) {
    if (why_not) *why_not = fmt::format("{}: {}", comparison.path, what);
    return Answer::unknown;
  };
  if (!found) return unknown(why);
  const auto& literal = comparison.literal;
  if (literal.is_string()) {
    auto text = literal.get<std::string>();
    if (found->value.is_string()) return to_answer(ordered(comparison.op, found->value.get<std::string>(), text));
    return to_answer(ordered(comparison.op, found->text, text));
  }
  if (!is_boolean_like(found->value)) return unknown(fmt::format("its value {} is no number", found->text));
  if (found->value.is_number_integer() && literal.is_number_integer())
    return to_answer(ordered(comparison.op, found->value.get<std::int64_t>(), literal.get<std::int64_t>()));
  auto number = [](const nlohmann::json& value) { return value.is_boolean() ? double(value.get<bool>()) : value.get<double>(); };
  return to_answer(ordered(comparison.op, number(found->value), number(literal)));
}

Condition::Answer Condition::holds(const LookUp& look_up, std::string* why_not) const {
  if (always()) return Answer::yes;
  Answer any = Answer::no;
  for (const auto& all_of : any_of_) {
    Answer all = Answer::yes;
    for (const auto& comparison : all_of) {
      Answer one = compare(comparison, look_up, why_not);
      if (one == Answer::no)
        all = Answer::no;
      else if (one == Answer::unknown && all == Answer::yes)
        all = Answer::unknown;
    }
    if (all == Answer::yes) return Answer::yes;
    if (all == Answer::unknown) any = Answer::unknown;
  }
  return any;
}

}  // namespace callpath::session
