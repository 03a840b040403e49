#include "annotate/cpp_name.hpp"

#include <cxxabi.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace callpath {
namespace {

using Strings = std::vector<std::string>;

const std::string kernel =
    "tensorlib::native::AVX512::pow_tensor_scalar_optimized_kernel<float, double, double>(tensorlib::TensorIteratorBase&, double)";

TEST(PlainName, IsTheQualifiedNameAlone) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"main", "main"},
      {"_PyEval_EvalFrameDefault.cold", "_PyEval_EvalFrameDefault"},
      {"long_divrem.constprop.0", "long_divrem"},
      {"f.part.0.isra.0.cold", "f"},
      {"a::b(int)", "a::b"},
      {"a::b(int) const", "a::b"},
      {"void a::b<int, c<d> >(c<d>)", "a::b"},
      {"decltype(auto) std::apply<a, b>(a&, b&&)", "std::apply"},
      {"std::__invoke_result<int (&)(char), char>::type std::__invoke<int (&)(char), char>(int (&)(char), char&&)", "std::__invoke"},
      {"(anonymous namespace)::f()", "(anonymous namespace)::f"},
      {"tensorlib::(anonymous namespace)::wrapper_CPU_pow(tensorlib::Tensor const&)", "tensorlib::(anonymous namespace)::wrapper_CPU_pow"},
      {"void " + kernel, "tensorlib::native::AVX512::pow_tensor_scalar_optimized_kernel"},
      {kernel + "::{lambda(float)#3}::operator()(float) const",
       "tensorlib::native::AVX512::pow_tensor_scalar_optimized_kernel::{lambda}::operator()"},
      {"f()::<lambda(float)>::operator()(float) const", "f::{lambda}::operator()"},
      {"f()::'lambda0'(float)::operator()(float) const", "f::{lambda}::operator()"},
      {"a::operator<<(std::ostream&, a::b const&)", "a::operator<<"},
      {"a::b::operator->() const", "a::b::operator->"},
      {"a::b<(c)0>::operator()(int (*)(char)) [clone .cold]", "a::b::operator()"},
      {"a::b::operator std::vector<int, std::allocator<int> >() const", "a::b::operator std::vector<int, std::allocator<int> >"},
      {"a::b::operator bool() const", "a::b::operator bool"},
      {"operator new(unsigned long)", "operator new"},
      {"bool operator< <int>(a<int> const&, a<int> const&)", "operator<"},
      {"a::f[abi:cxx11](int)", "a::f"},
      {"a::{unnamed type#1}::f()", "a::{unnamed type}::f"},
      {"std::function<void (int)>::operator()(int) const", "std::function::operator()"},
      {"a::b<&(operator>>)>::c()", "a::b::c"},
      {"unsigned long& a::f<3ul>()", "a::f"},
      {"a::f(int) const::{lambda(char)#1}::operator()(char) const", "a::f::{lambda}::operator()"},
      {"a::f(int) const &", "a::f"},
      {"memcpy@plt", "memcpy@plt"},
      {"??", "??"},
      {"", ""},
  };
  for (const auto& [full, plain] : cases) EXPECT_EQ(plain_name(full), plain) << full;
}

TEST(ComparableName, IsTheSameHoweverItWasDemangled) {
  const std::vector<std::pair<std::string, std::string>> same{
      {kernel + "::{lambda(float)#3}::operator()(float) const", kernel + "::{lambda(float)#2}::operator()(float) const"},
      {kernel + "::{lambda(float)#3}::operator()(float) const", kernel + "::<lambda(float)>::operator()(float)"},
      {"void " + kernel, kernel},
      {"a::b<std::vector<int> >(int)", "a::b<std::vector<int>>(int)"},
      {"a::b<0ul, 3u>(char const*)", "a::b<0, 3>(char const *)"},
      {"f.isra.0", "f"},
      {"a::f[abi:cxx11]()", "a::f()"},
      {"f(void)", "f()"},
  };
  for (const auto& [a, b] : same) EXPECT_EQ(comparable_name(a), comparable_name(b)) << a << "\n" << b;
}

TEST(ComparableName, KeepsWhatTellsFunctionsApart) {
  const std::vector<std::pair<std::string, std::string>> different{
      {kernel + "::{lambda(float)#3}::operator()(float) const",
       kernel + "::{lambda(tensorlib::vec::AVX512::Vectorized<float>)#1}::operator()(float) const"},
      {"a::AVX2::f()", "a::AVX512::f()"},
      {"a::f<float>()", "a::f<double>()"},
      {"a::f(int)", "a::f(long)"},
      {"a::f<unsigned long>()", "a::f<unsignedlong>()"},
      {"a::x10ul::f()", "a::x10::f()"},
      {"f", "g"},
  };
  for (const auto& [a, b] : different) EXPECT_NE(comparable_name(a), comparable_name(b)) << a << "\n" << b;
}

TEST(ComparableName, LosesOnlyTheLastParametersWhenOneSideHasNone) {
  EXPECT_EQ(comparable_without_parameters("void a::f<int>(int) const"), "a::f<int>");
  EXPECT_EQ(comparable_without_parameters("a::f(int)::{lambda(char)#1}::operator()(char) const"), "a::f(int)::{lambda(char)}::operator()");
  EXPECT_EQ(comparable_without_parameters("a::f(int)::{lambda(char)#1}::operator()"), "a::f(int)::{lambda(char)}::operator()");
  EXPECT_TRUE(has_parameters("a::operator()(int) const"));
  EXPECT_FALSE(has_parameters("a::operator()"));
  EXPECT_FALSE(has_parameters("PyNumber_Power"));
}

TEST(TemplateArguments, AreThoseOfTheLastPartThatHasAny) {
  EXPECT_EQ(template_arguments("void " + kernel), (Strings{"float", "double", "double"}));
  EXPECT_EQ(template_arguments(kernel + "::{lambda(float)#3}::operator()(float) const"), (Strings{"float", "double", "double"}));
  EXPECT_EQ(template_arguments("a::Stub<void (*)(x&, y const&), a::pow_stub>::operator()(x&)"),
            (Strings{"void (*)(x&, y const&)", "a::pow_stub"}));
  EXPECT_EQ(template_arguments("f(a<b>)"), Strings{});
  EXPECT_EQ(template_arguments("f<>()"), Strings{});
}

TEST(LambdaParameters, AreThoseOfTheInnermostLambdaOfTheNameItself) {
  EXPECT_EQ(lambda_parameters(kernel + "::{lambda(float)#3}::operator()(float) const"), Strings{"float"});
  EXPECT_EQ(lambda_parameters("f()::{lambda(a<b, c>, int)#1}::operator()(a<b, c>, int) const"), (Strings{"a<b, c>", "int"}));
  EXPECT_EQ(lambda_parameters("f()::{lambda(V)#1}::operator()(V) const::{lambda(float)#1}::operator()(float) const"), Strings{"float"});
  EXPECT_EQ(lambda_depth("f()::{lambda(V)#1}::operator()(V) const::{lambda(float)#1}::operator()(float) const"), 2);
  EXPECT_EQ(lambda_parameters("loop<f()::{lambda(float)#1}>(int)"), Strings{}) << "a lambda in a template argument is another's";
}

// Hostile text: no crash, no endless loop, and time that does not grow with the square of the length.
TEST(Names, AnyTextIsTakenApart) {
  std::mt19937 random(7);
  const std::string alphabet = "<>(){}[],:*& ab'#.~operator<lambda(";
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::size_t i = 0, n = random() % 40; i < n; ++i) text += alphabet[random() % alphabet.size()];
    plain_name(text), comparable_name(text), comparable_without_parameters(text), template_arguments(text), lambda_parameters(text);
  }
  for (const char* const part : {"a<", "(", "{lambda(", "operator", "(void)", " ", ">", "'lambda", ".cold"}) {
    std::string text = "f";
    while (text.size() < 200'000) text += part;
    plain_name(text), comparable_name(text), template_arguments(text);
  }
}

}  // namespace
}  // namespace callpath
