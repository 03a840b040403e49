// What is foretold of a call. That calls go there is shown by their frames: tests/python/test_engine_dispatch.py.
#include <gtest/gtest.h>

#include <cstring>

#include "core/Exception.h"
#include "native/TensorConversions.h"
#include "native/TensorFactories.h"
#include "ops/ExplainDispatch.h"
#include "ops/Functions.h"
#include "ops/Registration.h"

namespace tensorlib {
namespace {

DispatchExplanation explain(const char* op, const Stack& arguments) {
  return explain_dispatch(dispatcher().findSchemaOrThrow(op), arguments);
}

Tensor numbers() { return native::randn(DimVector{3, 2}, ScalarType::Float); }

std::vector<DispatchKey> keys(const DispatchExplanation& explanation) {
  std::vector<DispatchKey> found;
  for (const DispatchStep& step : explanation.steps) found.push_back(step.key);
  return found;
}

std::string why_not(const DispatchStep& step, DispatchKey key) {
  for (const PassedOverKey& passed : step.passed_over) {
    if (passed.key == key) return passed.why;
  }
  return "";
}

TEST(Explain, NamesTheWayOfPow) {
  const DispatchExplanation pow = explain("tensorlib::pow.Tensor_Scalar", {numbers(), Scalar(3)});
  ASSERT_EQ(pow.arguments.size(), 2u);
  EXPECT_EQ(pow.arguments[0].name, "self");
  EXPECT_EQ(pow.arguments[0].keys, cpu_tensor_keyset);
  EXPECT_EQ(pow.arguments[1].name, "exponent");
  EXPECT_TRUE(pow.arguments[1].keys.empty());
  EXPECT_EQ(keys(pow), (std::vector{DispatchKey::AutogradCPU, DispatchKey::CPU}));
  EXPECT_TRUE(pow.steps[0].kernel.ends_with("VariableType::(anonymous namespace)::pow_Tensor_Scalar")) << pow.steps[0].kernel;
  EXPECT_EQ(pow.steps[1].kernel, "tensorlib::(anonymous namespace)::wrapper_CPU_pow_Tensor_Scalar");
  EXPECT_TRUE(pow.steps[1].registered_at.starts_with("tensorlib/generated/ops/RegisterCPU.cpp:")) << pow.steps[1].registered_at;
  EXPECT_EQ(why_not(pow.steps[0], DispatchKey::AutocastCPU), "this thread excludes it");
  EXPECT_TRUE(why_not(pow.steps[0], DispatchKey::ADInplaceOrView).starts_with("falls through: backend fallback")) << toString(pow);
  EXPECT_EQ(why_not(pow.steps[0], DispatchKey::CPU), "lower than the key chosen");
  EXPECT_EQ(pow.stub.stub, "pow_tensor_scalar_stub");
  EXPECT_EQ(pow.stub.op, "tensorlib::pow.Tensor_Scalar");
  EXPECT_TRUE(pow.stub.branch.starts_with("base * base * base")) << pow.stub.branch;
}

TEST(Explain, FollowsTheThreadsModes) {
  const Tensor x = numbers();
  InferenceMode::set_enabled(true);
  const DispatchExplanation pow = explain("tensorlib::pow.Tensor_Scalar", {x, Scalar(3)});
  InferenceMode::set_enabled(false);
  EXPECT_EQ(keys(pow), std::vector{DispatchKey::CPU});
  EXPECT_EQ(why_not(pow.steps[0], DispatchKey::AutogradCPU), "this thread excludes it");
}

TEST(Explain, AnOperatorMadeOfOthersNamesTheOneThatReachesTheStub) {
  const DispatchExplanation mean = explain("tensorlib::matmul", {numbers(), native::randn(DimVector{2, 3}, ScalarType::Float)});
  EXPECT_EQ(keys(mean), std::vector{DispatchKey::AutogradCPU});
  EXPECT_EQ(mean.steps[0].rule, TableRule::math_kernel);
}

TEST(Explain, OperatorsWithoutTensorsGoThroughBackendSelect) {
  const DispatchExplanation randn = explain("tensorlib::randn", {std::vector<std::int64_t>{3}, IValue()});
  EXPECT_EQ(keys(randn), (std::vector{DispatchKey::BackendSelect, DispatchKey::CPU}));
}

TEST(Explain, DrawsNothingAndWritesNothing) {
  default_generator().set_current_seed(3);
  explain("tensorlib::randn", {std::vector<std::int64_t>{3}, IValue()});
  const std::uint32_t drawn = default_generator().random();
  default_generator().set_current_seed(3);
  EXPECT_EQ(drawn, default_generator().random());

  const Tensor x = numbers();
  const Tensor before = native::to(x, ScalarType::Double);
  explain("tensorlib::mul_.Tensor", {x, x});
  explain("tensorlib::pow.Tensor_Scalar_out", {x, Scalar(2), x});
  EXPECT_EQ(std::memcmp(native::to(x, ScalarType::Double).data(), before.data(), 6 * sizeof(double)), 0);
  EXPECT_EQ(x.impl()->current_version(), 0u);
}

TEST(Explain, SaysWhatTheKernelRefuses) {
  const DispatchExplanation add = explain("tensorlib::add.Tensor", {numbers(), native::randn(DimVector{4}, ScalarType::Float), Scalar(1)});
  EXPECT_EQ(add.stub.stub, "");
  EXPECT_NE(add.stub.error.find("The size of tensor a (2) must match the size of tensor b (4)"), std::string::npos) << add.stub.error;
}

TEST(ExplainFirstCall, AnswersInsteadOfTheOperator) {
  const Tensor x = numbers();
  bool stopped = false;
  const auto explanation = explain_first_call([&] {
    try {
      at::pow(x, Scalar(2));
    } catch (const Error&) {
      stopped = true;
    }
    at::add(x, x);  // goes ahead
  });
  EXPECT_TRUE(stopped);
  ASSERT_TRUE(explanation);
  EXPECT_EQ(explanation->op, "tensorlib::pow.Tensor_Scalar");
  EXPECT_EQ(explanation->local.excluded_, LocalDispatchKeySet().excluded_);
  EXPECT_EQ(tls_local_dispatch_key_set().included_, LocalDispatchKeySet().included_);
  EXPECT_FALSE(explain_first_call([] {}));
}

}  // namespace
}  // namespace tensorlib
