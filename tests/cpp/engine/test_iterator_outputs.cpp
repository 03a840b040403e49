// Given outputs: resized, cast to, refused; memory that operands share.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/Exception.h"
#include "core/Warning.h"
#include "native/TensorConversions.h"
#include "native/TensorFactories.h"
#include "native/TensorIterator.h"
#include "native/TensorShape.h"
#include "native/cpu/Loops.h"

namespace tensorlib {
namespace {

std::vector<std::int64_t> list(IntArrayRef values) { return {values.begin(), values.end()}; }
using List = std::vector<std::int64_t>;

Tensor full(std::initializer_list<std::int64_t> sizes, double value, ScalarType dtype = ScalarType::Float) {
  return native::full(DimVector(sizes), value, dtype);
}

std::vector<std::string> warnings;

class Outputs : public testing::Test {
 protected:
  void SetUp() override {
    warnings.clear();
    previous_ = set_warning_handler([](const std::string& message) { warnings.push_back(message); });
  }
  void TearDown() override { set_warning_handler(previous_); }

 private:
  WarningHandler previous_ = nullptr;
};

template <typename Build>
std::string message_of(Build build) {
  try {
    TensorIterator iter;
    build(iter);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(Outputs, OfAnotherShapeAreResizedWithAWarning) {
  const Tensor out = full({2}, 0);
  TensorIterator iter;
  iter.build_binary_op(out, full({3, 1}, 1), full({4}, 2));
  EXPECT_EQ(list(out.sizes()), (List{3, 4}));
  EXPECT_TRUE(iter.output().is_same(out));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(
      warnings[0].substr(0, 126),
      "An output with one or more elements was resized since it had shape [2], which does not match the required output shape [3, 4].");
}

TEST_F(Outputs, ThatAreEmptyAreResizedSilently) {
  const Tensor out = full({0}, 0);
  TensorIterator iter;
  iter.build_unary_op(out, native::permute(full({2, 3}, 1), DimVector{1, 0}));
  EXPECT_EQ(list(out.sizes()), (List{3, 2}));
  EXPECT_TRUE(warnings.empty());
}

TEST_F(Outputs, OfTheRightShapeKeepTheirStrides) {
  const Tensor out = native::permute(full({3, 2}, 0), DimVector{1, 0});
  TensorIterator iter;
  iter.build_unary_op(out, full({2, 3}, 1));
  EXPECT_EQ(list(out.strides()), (List{1, 2}));
  EXPECT_TRUE(warnings.empty());
}

TEST_F(Outputs, OfAnotherTypeGetTheResultCast) {
  const Tensor out = full({2, 3}, 0);
  TensorIterator iter;
  iter.build_binary_op(out, full({2, 3}, 3, ScalarType::Int), full({3}, 0.5, ScalarType::Double));
  EXPECT_EQ(iter.common_dtype(), ScalarType::Double);
  native::cpu_kernel(iter, [](double a, double b) -> double { return a * b; });
  for (int i = 0; i < 6; ++i) EXPECT_EQ(out.data_ptr<float>()[i], 1.5f);
  EXPECT_TRUE(iter.output().is_same(out));
}

TEST_F(Outputs, OfAnotherTypeAndShapeToo) {
  const Tensor out = full({0}, 0, ScalarType::Double);
  TensorIterator iter;
  iter.build_unary_op(out, full({5}, 2));
  native::cpu_kernel(iter, [](float a) -> float { return a + 1; });
  EXPECT_EQ(list(out.sizes()), List{5});
  EXPECT_EQ(out.dtype(), ScalarType::Double);
  EXPECT_EQ(out.data_ptr<double>()[4], 3.0);
}

TEST_F(Outputs, InPlaceComputesInTheCommonType) {
  const Tensor self = full({3}, 4, ScalarType::Int);
  TensorIterator iter;
  iter.build_binary_op(self, self, full({3}, 2, ScalarType::Long));
  native::cpu_kernel(iter, [](std::int64_t a, std::int64_t b) -> std::int64_t { return a * b; });
  EXPECT_EQ(self.data_ptr<std::int32_t>()[2], 8);
}

TEST_F(Outputs, OfALowerCategoryAreRefused) {
  const Tensor a = full({4}, 2);
  EXPECT_EQ(message_of([&](auto& iter) { iter.build_unary_op(full({4}, 0, ScalarType::Long), a); }),
            "result type Float can't be cast to the desired output type Long");
  EXPECT_EQ(message_of([&](auto& iter) { iter.build_unary_op(full({4}, 0, ScalarType::Bool), full({4}, 0, ScalarType::Int)); }),
            "result type Int can't be cast to the desired output type Bool");
  EXPECT_EQ(message_of([&](auto& iter) { iter.build_unary_float_op(full({4}, 0, ScalarType::Int), full({4}, 0, ScalarType::Int)); }),
            "result type Float can't be cast to the desired output type Int");
}

TEST_F(Outputs, InPlaceAreNotResized) {
  const Tensor one = full({1}, 1);
  EXPECT_EQ(message_of([&](auto& iter) { iter.build_binary_op(one, one, full({3}, 1)); }),
            "output with shape [1] doesn't match the broadcast shape [3]");
}

TEST_F(Outputs, OfComparisonsAreBool) {
  const Tensor a = full({3}, 1, ScalarType::Int), b = full({}, 1.5, ScalarType::Double);
  TensorIterator iter;
  iter.build_comparison_op(Tensor(), a, b);
  EXPECT_EQ(iter.dtype(0), ScalarType::Bool);
  EXPECT_EQ(iter.common_dtype(), ScalarType::Double);
  native::cpu_kernel(iter, [](double x, double y) -> bool { return x < y; });
  EXPECT_TRUE(iter.output().data_ptr<bool>()[2]);

  const Tensor out = full({3}, 7);
  TensorIterator given;
  given.build_comparison_op(out, a, b);
  native::cpu_kernel(given, [](double x, double y) -> bool { return x < y; });
  EXPECT_EQ(out.data_ptr<float>()[0], 1.0f);
}

TEST_F(Outputs, FloatOperatorsComputeIntegersAsFloat32) {
  TensorIterator iter, wide;
  iter.build_unary_float_op(Tensor(), full({3}, 1, ScalarType::Long));
  EXPECT_EQ(iter.common_dtype(), ScalarType::Float);
  EXPECT_EQ(iter.dtype(1), ScalarType::Float);
  wide.build_binary_float_op(Tensor(), full({3}, 1, ScalarType::Long), full({3}, 1, ScalarType::Double));
  EXPECT_EQ(wide.output().dtype(), ScalarType::Double);
}

const char* const internal_overlap =
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
    "Please clone() the tensor before performing the operation.";
const char* const partial_overlap =
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. "
    "Please clone() the tensor before performing the operation.";

TEST_F(Outputs, ThatShareMemoryWithThemselvesAreRefused) {
  const Tensor self = native::expand(full({1}, 2), DimVector{3});
  EXPECT_EQ(message_of([&](auto& iter) { iter.build_unary_op(self, self); }), internal_overlap);
  const Tensor single = native::expand(full({1}, 2), DimVector{1});
  EXPECT_EQ(message_of([&](auto& iter) { iter.build_unary_op(single, single); }), "");
  EXPECT_EQ(message_of([&](auto& iter) { iter.build_nullary_op(self); }), internal_overlap);
}

TEST_F(Outputs, ThatShareSomeOfAnInputsMemoryAreRefused) {
  const Tensor a = full({5}, 2), head = native::slice(a, 0, 0, 4, 1), tail = native::slice(a, 0, 1, 5, 1);
  EXPECT_EQ(message_of([&](auto& iter) { iter.build_binary_op(tail, tail, head); }), partial_overlap);
  EXPECT_EQ(message_of([&](auto& iter) { iter.build_unary_op(tail, head); }), partial_overlap);
  EXPECT_EQ(message_of([&](auto& iter) { iter.build_binary_op(a, a, a); }), "");
  EXPECT_EQ(message_of([&](auto& iter) { iter.build_unary_op(native::alias(a), a); }), "");
  const Tensor square = full({3, 3}, 2);
  EXPECT_EQ(message_of([&](auto& iter) {
              iter.build_binary_op(square, square, native::permute(square, DimVector{1, 0}));
            }),
            partial_overlap);
}

TEST_F(Outputs, TypesThatMustAgreeAreNamed) {
  const Tensor out = full({2}, 0), a = full({2}, 0, ScalarType::Long);
  EXPECT_EQ(message_of([&](TensorIterator&) { TensorIteratorConfig().add_output(out).add_input(out).add_input(a).build(); }),
            "Found dtype Long but expected Float");
}

TEST_F(Outputs, AReductionVisitsTheReducedDimensionFirst) {
  const Tensor in = full({3, 4}, 1);
  const Tensor out = native::expand(full({3, 1}, 0), DimVector{3, 4});
  TensorIterator iter = TensorIterator::reduce_op(out, in);
  EXPECT_EQ(iter.num_output_elements(), 3);
  EXPECT_EQ(iter.num_reduce_dims(), 1);
  EXPECT_TRUE(iter.is_dim_reduced(0));
  EXPECT_FALSE(iter.is_dim_reduced(1));
  int parts = 0;
  iter.foreach_reduced_elt([&](TensorIteratorBase& part) {
    EXPECT_EQ(part.numel(), 4);
    *reinterpret_cast<float*>(part.data_ptr(0)) = static_cast<float>(++parts);
  });
  EXPECT_EQ(parts, 3);
  EXPECT_EQ(out.data_ptr<float>()[2], 3.0f);
}

TEST_F(Outputs, ARangeOfAnIteratorIsItsElementsInOrder) {
  const Tensor in = native::slice(native::permute(full({4, 3, 5}, 1), DimVector{2, 0, 1}), 0, 0, 5, 2);
  TensorIterator iter;
  iter.build_unary_op(full({3, 4, 3}, 0), in);
  std::vector<char*> all;
  const auto note = [](std::vector<char*>& places) {
    return [&places](char** data, const std::int64_t* strides, std::int64_t size0, std::int64_t size1) {
      for (std::int64_t row = 0; row < size1; ++row) {
        for (std::int64_t i = 0; i < size0; ++i) places.push_back(data[1] + row * strides[3] + i * strides[1]);
      }
    };
  };
  iter.serial_for_each(note(all), 0, iter.numel());
  ASSERT_EQ(all.size(), 36u);
  for (std::int64_t begin = 0; begin < 36; ++begin) {
    for (std::int64_t end = begin; end <= 36; ++end) {
      std::vector<char*> some;
      iter.serial_for_each(note(some), begin, end);
      ASSERT_EQ(some, std::vector<char*>(all.begin() + begin, all.begin() + end)) << begin << " to " << end;
    }
  }
}

}  // namespace
}  // namespace tensorlib
