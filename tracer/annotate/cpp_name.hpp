// Demangled C++ names taken apart, as far as rules and comparisons need it. Pure functions, linear in the length of the name; any text is
// allowed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace callpath {

/// "void a::b<int>::f<T>(char) const [clone .cold]" -> "a::b::f": no return type, template arguments, parameters, qualifiers or clone
/// suffixes. "f(int)::{lambda(float)#2}::operator()(float) const" -> "f::{lambda}::operator()". Names that are no C++ stay as they are,
/// without clone suffix.
std::string plain_name(std::string_view full);

/// The same name wherever it was demangled: no blanks, clone suffixes, ABI tags or lambda numbers; unsigned literals without "ul"; no
/// return type. Template arguments and parameters stay.
std::string comparable_name(std::string_view full);

/// comparable_name() up to the parameters of the last function, with its qualifiers dropped too: what is left where one side has no
/// parameters.
std::string comparable_without_parameters(std::string_view full);
bool has_parameters(std::string_view full);

/// Template arguments of the last part of the name that has any: "a::f<float, double>(int)" -> {"float", "double"}. Empty if it has none.
std::vector<std::string> template_arguments(std::string_view full);

/// "…{lambda(float)#2}::operator()(float) const" -> {"float"}: parameters of the innermost lambda named in it.
std::vector<std::string> lambda_parameters(std::string_view full);

/// How many lambdas the name runs through: 2 for a lambda's operator() within a lambda's operator().
int lambda_depth(std::string_view full);

/// Without ".constprop.0", ".isra.3", ".part.1", ".cold", ".lto_priv.0", " [clone ...]".
std::string_view without_clone_suffix(std::string_view full);

}  // namespace callpath
