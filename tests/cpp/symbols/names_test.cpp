// Names taken apart, shortened, matched. Expected names were produced by g++ 12, clang 14 and c++filt, and split by hand.
#include <gtest/gtest.h>

#include <string>

#include "symbols/name_parts.hpp"
#include "symbols/patterns.hpp"
#include "symbols/symbols.hpp"

namespace callpath {
namespace {

struct Case {
  const char* full;
  const char* expected;
};

TEST(ShortName, IsTheLastComponentWithoutArguments) {
  for (const auto& [full, expected] : {
           Case{"_PyEval_EvalFrameDefault", "_PyEval_EvalFrameDefault"},
           Case{"main", "main"},
           Case{"a::b::f(int)", "f"},
           Case{"a::b::f<int>(x)", "f"},
           Case{"void tensorlib::native::AVX2::basic_loop<int>(char**, long const*, long)", "basic_loop"},
           Case{"tensorlib::(anonymous namespace)::wrapper(tensorlib::Tensor const&)", "wrapper"},
           Case{"std::vector<std::pair<int, char>, std::allocator<std::pair<int, char> > >::push_back(std::pair<int, char>&&)",
                "push_back"},
           Case{"a::Thing::Thing(a::Thing const&)", "Thing"},
           Case{"a::Thing<int>::~Thing()", "~Thing"},
           Case{"a::f[abi:cxx11](int)", "f"},
           Case{"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::size() const", "size"},
           Case{"unsigned long const& std::max<unsigned long>(unsigned long const&, unsigned long const&)", "max"},
           Case{"decltype (((forward<int>)({parm#1}))()) call<int>(int)", "call"},
           Case{"void (*choose<int>(int))(float)", "choose"},
           Case{"auto apply<f(int)::{lambda(float)#1}, 0>(int)", "apply"},
           Case{"", ""},
       })
    EXPECT_EQ(short_name(full), expected) << full;
}

TEST(ShortName, KeepsOperators) {
  for (const auto& [full, expected] : {
           Case{"a::Loop::operator()(char**, long) const", "operator()"},
           Case{"a::V::operator[](unsigned long)", "operator[]"},
           Case{"a::operator<(a::V const&, a::V const&)", "operator<"},
           Case{"bool a::operator< <int>(a::V<int> const&, a::V<int> const&)", "operator<"},
           Case{"a::V::operator<<(int)", "operator<<"},
           Case{"std::basic_ostream<char>& a::operator<< <char>(std::basic_ostream<char>&)", "operator<<"},
           Case{"a::V::operator->() const", "operator->"},
           Case{"a::V::operator->*(int)", "operator->*"},
           Case{"a::V::operator<=>(a::V const&) const", "operator<=>"},
           Case{"a::V::operator>>=(int)", "operator>>="},
           Case{"a::V::operator,(int)", "operator,"},
           Case{"a::V::operator bool() const", "operator bool"},
           Case{"a::V::operator std::vector<int, std::allocator<int> >() const", "operator std::vector<int, std::allocator<int> >"},
           Case{"f(int)::{lambda(int)#1}::operator void (*)(int)() const", "operator void (*)(int)"},
           Case{"operator new(unsigned long)", "operator new"},
           Case{"operator delete[](void*, unsigned long)", "operator delete[]"},
           Case{"operator\"\" _kb(unsigned long long)", "operator\"\" _kb"},
           Case{"a::operatorial(int)", "operatorial"},
       })
    EXPECT_EQ(short_name(full), expected) << full;
}

TEST(ShortName, OfALambdaShowsItsParameters) {
  for (const auto& [full, expected] : {
           Case{"a::b<int>::f(float)::{lambda(float)#2}::operator()(float) const", "lambda(float)"},
           Case{"a::f()::{lambda()#1}::operator()() const::{lambda(int, char**)#3}::operator()(int, char**) const", "lambda(int, char**)"},
           Case{"f(int)::{lambda(auto:1)#1}::operator()<float>(float) const", "lambda(auto:1)"},
           Case{"f(int)::{lambda(int)#1}::_FUN(int)", "lambda(int)"},
           Case{"f(int)::$_0::operator()(float) const", "lambda(float)"},
           Case{"f(int)::'lambda0'(float)::operator()(float) const", "lambda(float)"},
           Case{"tensorlib::<lambda(float)>::operator()(float) const", "lambda(float)"},
           Case{"f()::{lambda(tensorlib::vec::AVX512::Vectorized<float>)#2}::operator()(tensorlib::vec::AVX512::Vectorized<float>) const",
                "lambda(tensorlib::vec::AVX512::Vectorized<float>)"},
           Case{"f()::{lambda(std::function<void (int)>)#1}::operator()(std::function<void (int)>) const",
                "lambda(std::function<void (int)>)"},
       })
    EXPECT_EQ(short_name(full), expected) << full;
}

TEST(ShortName, DropsCloneSuffixes) {
  for (const auto& [full, expected] : {
           Case{"vectorcall_maybe.constprop.0", "vectorcall_maybe"},
           Case{"unicode_eq.lto_priv.0.lto_priv.0", "unicode_eq"},
           Case{"mappingproxy_check_mapping.part.0.isra.0", "mappingproxy_check_mapping"},
           Case{"withcold.cold", "withcold"},
           Case{"withcold(int) [clone .cold]", "withcold"},
           Case{"a::f(int) [clone .constprop.0] [clone .isra.0]", "f"},
           Case{"counter.1234", "counter"},
           Case{"name.llvm.123456789", "name"},
           Case{"a.partial", "a.partial"},
       })
    EXPECT_EQ(short_name(full), expected) << full;
}

TEST(ShortName, SurvivesWhatIsNotAName) {
  for (const char* text : {"(((", ")))", "<<<>", "a::", "::", "{", "'lambda", "operator", "operator(", "f(int", "a<b", "$_0", " ", "*", "~",
                           "[abi:", "{lambda("})
    EXPECT_LE(short_name(text).size(), std::string(text).size() + 8) << text;
}

TEST(EnclosingFunction, IsTheFunctionThatDefinesTheLambda) {
  const auto enclosing = [](const std::string& full) { return dw::enclosing_function(full, dw::name_parts(full)); };
  EXPECT_EQ(enclosing("a::f<float>(a::T&, double)::{lambda(float)#3}::operator()(float) const"), "a::f<float>(a::T&, double)");
  EXPECT_EQ(enclosing("void a::f<float>(int) const::{lambda(float)#3}::operator()(float) const"), "a::f<float>(int) const");
  EXPECT_EQ(enclosing("f()::{lambda()#1}::operator()() const::{lambda(int)#1}::operator()(int) const"),
            "f()::{lambda()#1}::operator()() const");
  EXPECT_EQ(enclosing("f(int)::$_0::operator()(float) const"), "f(int)");
  EXPECT_EQ(enclosing("a::Loop::operator()(int) const"), "");
  EXPECT_EQ(enclosing("a::f(int)"), "");
  EXPECT_EQ(enclosing("a::variable::{lambda(int)#1}::operator()(int) const"), "");
}

bool matches(const char* pattern, const char* full) { return dw::NamePattern(pattern).matches(full); }

TEST(Pattern, WithoutWildcardNamesTheLastComponents) {
  constexpr const char* full = "void a::(anonymous namespace)::b<int>::f<float>(int, char)";
  for (const char* pattern :
       {"f", "b::f", "a::b::f", "a::(anonymous namespace)::b::f", "f<float>", "b<int>::f", "f(int, char)", "f(int,char)", full})
    EXPECT_TRUE(matches(pattern, full)) << pattern;
  for (const char* pattern : {"g", "b", "a", "ff", "b::b::f", "x::a::b::f", "f<double>", "f(int)", "a::f", "lambda"})
    EXPECT_FALSE(matches(pattern, full)) << pattern;
  EXPECT_TRUE(matches("lambda(float)", "f(int)::{lambda(float)#2}::operator()(float) const"));
  EXPECT_FALSE(matches("lambda(float)", "f(int)::{lambda(double)#2}::operator()(double) const"));
  EXPECT_TRUE(matches("operator*", "a::operator*(int, a::V)"));
  EXPECT_FALSE(matches("operator*", "a::operator+(int, a::V)"));
  EXPECT_TRUE(matches("slot_nb_power", "slot_nb_power.lto_priv.0"));
}

TEST(Pattern, WithWildcardsMatchesShortQualifiedAndFullNames) {
  constexpr const char* lambda = "a::kernel<float, double>(a::T&, double)::{lambda(float)#3}::operator()(float) const";
  for (const char* pattern : {"*lambda*", "lambda*", "a::kernel*", "kernel<float*lambda(float)*", "*kernel*{lambda(float)#?}*", "*const"})
    EXPECT_TRUE(matches(pattern, lambda)) << pattern;
  for (const char* pattern : {"kernel?", "*double)#3*", "b::*", "?"}) EXPECT_FALSE(matches(pattern, lambda)) << pattern;
  EXPECT_TRUE(matches("pow_tensor_*", "a::pow_tensor_scalar(int)"));
  for (const char* pattern :
       {"a::kernel*::operator()(*) const", "*::operator()(float) const", "a::kernel*::operator()*", "a::*::operator()"})
    EXPECT_TRUE(matches(pattern, lambda)) << pattern;
  for (const char* pattern : {"a::kernel*::operator()(*)", "operator*(*)", "*::operator*(float)"})
    EXPECT_FALSE(matches(pattern, lambda)) << pattern;
  EXPECT_TRUE(matches("a::operator*(*)", "a::operator*(int, a::V)"));
  EXPECT_TRUE(matches("operator new*", "operator new[](unsigned long)"));
  EXPECT_TRUE(matches("*", "anything"));
}

TEST(Pattern, QuickLookAtMangledNamesLosesNothing) {
  for (const auto& [mangled, pattern] :
       {Case{"_ZN1a6kernelIfEEvi", "a::kernel<float>"}, Case{"_ZNSaIcEC1Ev", "*allocator*"},
        Case{"_ZNKSt6vectorIiSaIiEE4sizeEv", "std::vector::size"}, Case{"_ZZ1fiENKUlfE_clEf", "lambda(float)"},
        Case{"_ZZ1fiENKUlfE_clEf", "*lambda*"}, Case{"_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f"},
        Case{"_ZNSs6appendEPKc", "std::string::append"}, Case{"_ZN1aplERKNS_1VES2_", "operator+"}, Case{"PyNumber_Power", "PyNumber_*"}}) {
    const dw::NamePattern wanted(pattern);
    EXPECT_TRUE(wanted.matches(demangle(mangled))) << demangle(mangled) << " by " << pattern;
    EXPECT_TRUE(wanted.may_match(mangled)) << mangled << " by " << pattern;
  }
}

TEST(Glob, StarsBacktrack) {
  EXPECT_TRUE(dw::glob_matches("*a*b*c", "xxaxbxbc"));
  EXPECT_FALSE(dw::glob_matches("*a*b*c", "xxaxbxb"));
  EXPECT_TRUE(dw::glob_matches("", ""));
  EXPECT_TRUE(dw::glob_matches("**", ""));
  EXPECT_FALSE(dw::glob_matches("?", ""));
  EXPECT_TRUE(dw::glob_matches("[a]", "[a]"));
}

TEST(Demangle, GivesBackWhatItCannotRead) {
  for (const char* text : {"main", "_Z", "_ZN", "_Z1", "_ZZZZ", "_Z9999999999f", "", "PyObject_Call", "?f@@YAXXZ"})
    EXPECT_EQ(demangle(text), text);
  EXPECT_EQ(demangle("_Z8withcoldi.cold"), "withcold(int) [clone .cold]");
  EXPECT_EQ(demangle("_ZN1a1fIfEEvT_"), "void a::f<float>(float)");
}

/// Each S_ doubles the output: 2^60 characters were asked for.
TEST(Demangle, StopsAtAnOutputWithoutEnd) {
  std::string hostile = "_Z1fSt4pairIiiE";
  for (int i = 0; i < 40; ++i) {
    const std::string last = i == 0 ? "S0_" : "S" + std::string(1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[std::min(i, 35)]) + "_";
    hostile += "S_I" + last + last + "E";
  }
  EXPECT_FALSE(demangle(hostile).empty());
  EXPECT_EQ(demangle(hostile), hostile);
}

TEST(Demangle, SurvivesDepthAndLength) {
  for (const std::size_t n : {100u, 5'000u, 15'000u, 1'000'000u}) {
    EXPECT_FALSE(demangle("_Z1f" + std::string(n, 'P') + "i").empty());
    EXPECT_FALSE(demangle("_Z" + std::string(n, 'N')).empty());
    EXPECT_FALSE(demangle("_ZN" + std::string(n, 'X') + "E").empty());
    EXPECT_FALSE(short_name(std::string(n, '(')).empty());
    EXPECT_FALSE(short_name("f" + std::string(n, '<')).empty());
  }
}

}  // namespace
}  // namespace callpath
