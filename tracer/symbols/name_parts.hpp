// A C++ name taken apart, as demanglers and debug information write it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace callpath::dw {

/// One component between "::".
struct NamePart {
  std::string_view text;  ///< As written, with template arguments, without parameters.
  std::string base;       ///< Without template arguments and ABI tags: "f", "operator()", "{lambda(float)#1}", "(anonymous namespace)".
  std::string_view parameters;  ///< "(float, int)", or empty if none were written.
  std::size_t end = 0;          ///< Where it ends in the whole, its parameters and qualifiers included.

  bool is_lambda() const;
  bool is_anonymous_namespace() const { return base == "(anonymous namespace)" || base == "{anonymous}"; }
};

/// Parts of a function's name, outermost first, return type dropped. Views point into `full`. Never empty unless `full` is.
std::vector<NamePart> name_parts(std::string_view full);

/// Length of an operator's name at `at` ("operator()", "operator*", "operator bool"); 0 if none stands there. A conversion operator reaches
/// to its parameters.
std::size_t operator_length(std::string_view s, std::size_t at);

/// The name without clone suffixes: "f.constprop.0" -> "f", "f(int) [clone .cold]" -> "f(int)".
std::string_view without_clone_suffix(std::string_view name);

/// "a::b<int>::f(float)" -> "a::b::f".
std::string qualified_name(const std::vector<NamePart>& parts);

/// For "f<int>(float)::{lambda(int)#1}::operator()(int) const" "f<int>(float)"; empty if the name is not that of a local lambda's
/// operator().
std::string enclosing_function(std::string_view full, const std::vector<NamePart>& parts);

/// For a lambda's operator() "lambda #2 in f", outward to the function that has a name; the number where the name tells it. Else empty.
std::string lambda_origin(const std::vector<NamePart>& parts);

/// As callpath::short_name.
std::string short_name(const std::vector<NamePart>& parts);

}  // namespace callpath::dw
