// Operators called with values on a stack give what typed calls give.
#include <gtest/gtest.h>

#include <cstring>

#include "core/Exception.h"
#include "native/TensorConversions.h"
#include "native/TensorFactories.h"
#include "ops/Functions.h"
#include "ops/Registration.h"
#include "ops/TraceFallback.h"

namespace tensorlib {
namespace {

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && std::ranges::equal(a.sizes(), b.sizes()) &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.numel() * a.element_size())) == 0;
}

Tensor numbers() { return native::randn(DimVector{7, 5}, ScalarType::Float); }

Stack call_boxed(const char* name, Stack stack) {
  dispatcher().findSchemaOrThrow(name).callBoxed(stack);
  return stack;
}

TEST(Boxing, ANumberAndATensor) {
  const Tensor x = numbers();
  const Stack result = call_boxed("tensorlib::pow.Tensor_Scalar", {x, Scalar(2.5)});
  ASSERT_EQ(result.size(), 1u);
  EXPECT_TRUE(same_bits(std::get<Tensor>(result[0]), at::pow(x, Scalar(2.5))));
}

TEST(Boxing, AbsentListsAndFlags) {
  const Tensor x = numbers();
  const Stack result = call_boxed("tensorlib::sum.dim_IntList", {x, std::vector<std::int64_t>{0}, true, IValue()});
  const std::int64_t dim = 0;
  EXPECT_TRUE(same_bits(std::get<Tensor>(result[0]), at::sum(x, IntArrayRef(&dim, 1), true)));
  EXPECT_TRUE(same_bits(std::get<Tensor>(call_boxed("tensorlib::sum.dim_IntList", {x, IValue(), false, IValue()})[0]), at::sum(x)));
}

TEST(Boxing, TwoResults) {
  const Tensor x = numbers();
  const Stack result = call_boxed("tensorlib::max.dim", {x, std::int64_t{1}, false});
  ASSERT_EQ(result.size(), 2u);
  const auto [values, indices] = at::max(x, 1);
  EXPECT_TRUE(same_bits(std::get<Tensor>(result[0]), values));
  EXPECT_TRUE(same_bits(std::get<Tensor>(result[1]), indices));
}

TEST(Boxing, AnInPlaceOperatorReturnsItsOperand) {
  Tensor x = numbers();
  const Tensor expected = at::mul(x, x);
  const Stack result = call_boxed("tensorlib::mul_.Tensor", {x, x});
  EXPECT_TRUE(std::get<Tensor>(result[0]).is_same(x));
  EXPECT_TRUE(same_bits(x, expected));
}

TEST(Boxing, WrongArgumentsAreRefused) {
  const Tensor x = numbers();
  EXPECT_THROW(call_boxed("tensorlib::pow.Tensor_Scalar", {x}), Error);
  EXPECT_THROW(call_boxed("tensorlib::pow.Tensor_Scalar", {x, x}), TypeError);
}

// Through the tracer every call is boxed, and unboxed again.
TEST(Trace, PrintsEachOperatorAndChangesNothing) {
  const Tensor x = numbers();
  const Tensor expected = at::mean(at::pow(x, Scalar(3)));
  set_dispatch_trace(true);
  testing::internal::CaptureStderr();
  const Tensor traced = at::mean(at::pow(x, Scalar(3)));
  const std::string printed = testing::internal::GetCapturedStderr();
  set_dispatch_trace(false);
  EXPECT_TRUE(same_bits(traced, expected));
  EXPECT_NE(printed.find("tensorlib::pow.Tensor_Scalar(Tensor Float [7, 5], 3) -> AutogradCPU\n"), std::string::npos) << printed;
  EXPECT_NE(printed.find("\n  tensorlib::div.Tensor("), std::string::npos) << printed;
  testing::internal::CaptureStderr();
  at::mean(x);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace tensorlib
