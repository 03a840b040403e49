#include "explain/names.hpp"

#include <gtest/gtest.h>

namespace callpath {
namespace {

std::string shown(const std::string& full, const std::string& name = "?") {
  Frame f;
  f.full = full;
  f.name = name;
  return display_name(f);
}

TEST(DisplayName, LeavesOutWhatSaysOnlyWhoseCodeItIs) {
  EXPECT_EQ(shown("tensorlib::_ops::pow_Tensor_Scalar::call(tensorlib::Tensor const&, tensorlib::Scalar const&)"),
            "_ops::pow_Tensor_Scalar::call");
  EXPECT_EQ(shown("tensorlib::autograd::VariableType::(anonymous namespace)::pow_Tensor_Scalar(tensorlib::DispatchKeySet)"),
            "VariableType::pow_Tensor_Scalar");
  EXPECT_EQ(shown("tensorlib::(anonymous namespace)::wrapper_CPU_pow_Tensor_Scalar(tensorlib::Tensor const&)"),
            "wrapper_CPU_pow_Tensor_Scalar");
  EXPECT_EQ(shown("at::_ops::abs::call(at::Tensor const&)"), "_ops::abs::call");
}

TEST(DisplayName, LeavesOutReturnTypeAndTemplateArguments) {
  EXPECT_EQ(shown("void tensorlib::native::AVX512::pow_tensor_scalar_optimized_kernel<float, double, "
                  "double>(tensorlib::TensorIteratorBase&, double)"),
            "pow_tensor_scalar_optimized_kernel");
  EXPECT_EQ(
      shown("decltype(auto) std::apply<f(int)::{lambda(float)#1}&, std::tuple<float>&>(f(int)::{lambda(float)#1}&, std::tuple<float>&)"),
      "apply");
  EXPECT_EQ(shown("float std::__invoke_impl<float, a::b<int>(c&)::{lambda(float)#1}&, float&>(std::__invoke_other, float&)"),
            "__invoke_impl");
}

TEST(DisplayName, KnowsOperators) {
  EXPECT_EQ(shown("tensorlib::native::DispatchStub<void (*)(int&, int const&), x>::operator()(int&)"), "DispatchStub::operator()");
  EXPECT_EQ(shown("std::ostream& std::operator<< <char>(std::ostream&, char const*)"), "operator<<");
  EXPECT_EQ(shown("a::B::operator bool() const"), "a::B::operator bool");
  EXPECT_EQ(shown("a::B<(x > 3)>::operator->() const"), "a::B::operator->");
  EXPECT_EQ(shown("a::operator_name(int)"), "a::operator_name");
}

TEST(DisplayName, CallsAStubByItsOwnNameIfThereIsOne) {
  Frame f;
  f.layer = Layer::stub;
  f.full = "tensorlib::native::DispatchStub<void (*)(int&), tensorlib::native::pow_tensor_scalar_stub>::operator()(int&)";
  f.name = "pow_tensor_scalar_stub";
  EXPECT_EQ(display_name(f), "pow_tensor_scalar_stub");
  f.name = "operator()";
  EXPECT_EQ(display_name(f), "DispatchStub::operator()");
}

TEST(DisplayName, KeepsAtMostThreeParts) { EXPECT_EQ(shown("one::two::three::four::five()"), "three::four::five"); }

TEST(DisplayName, TakesTheShortNameOfLambdasAndCFunctions) {
  EXPECT_EQ(shown("a::f(int)::{lambda(float)#2}::operator()(float) const", "lambda(float)"), "lambda(float)");
  EXPECT_EQ(shown("_PyEval_Vector", "_PyEval_Vector"), "_PyEval_Vector");
}

TEST(DisplayName, SurvivesBrokenNames) {
  for (const char* name : {"a::", "::", "a::<", "a::f<(", "a::}", "a::f{", "(anonymous namespace)::", "a::operator", "a::f<a::b<"})
    EXPECT_NO_THROW(shown(name)) << name;
  EXPECT_EQ(shown("::", "?"), "?");
}

TEST(DisplayName, PrintsPythonNamesAsTheyAre) {
  Frame f;
  f.kind = Kind::python;
  f.name = "</script><b>x";
  f.full = "A::B";
  EXPECT_EQ(display_name(f), "</script><b>x");
}

TEST(Place, NamesFileAndLineOrModuleAndOffset) {
  Recording r;
  r.modules.push_back({});
  r.modules[0].name = "libx.so";
  Frame f;
  EXPECT_EQ(place(f, r), "");
  f.module = 0;
  f.offset = 0x57f40;
  EXPECT_EQ(place(f, r), "libx.so+0x57f40");
  f.source = Source{"/a/b/PowKernel.cpp", 67, {}};
  EXPECT_EQ(place(f, r), "PowKernel.cpp:67");
  f.source->line.reset();
  EXPECT_EQ(place(f, r), "PowKernel.cpp");
}

}  // namespace
}  // namespace callpath
