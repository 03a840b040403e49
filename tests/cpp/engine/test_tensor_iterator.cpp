// Which elements an iterator brings together, and how few loops it needs for that.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "core/Exception.h"
#include "native/TensorFactories.h"
#include "native/TensorIterator.h"
#include "native/TensorShape.h"

namespace tensorlib {
namespace {

std::vector<std::int64_t> list(IntArrayRef values) { return {values.begin(), values.end()}; }
using List = std::vector<std::int64_t>;

Tensor make(std::initializer_list<std::int64_t> sizes, ScalarType dtype = ScalarType::Float) { return empty(DimVector(sizes), dtype); }

List output_strides(const Tensor& input) {
  TensorIterator iter;
  iter.build_unary_op(Tensor(), input);
  return list(iter.output().strides());
}

TEST(TensorIterator, AColumnIsOneLoopWithStridesInBytes) {
  TensorIterator iter;
  iter.build_unary_op(Tensor(), native::select(make({10000, 2}), 1, 1));
  EXPECT_EQ(list(iter.shape()), List{10000});
  EXPECT_EQ(list(iter.strides(0)), List{4});
  EXPECT_EQ(list(iter.strides(1)), List{8});
}

TEST(TensorIterator, DenseDimensionsAreJoined) {
  TensorIterator iter;
  iter.build_binary_op(Tensor(), make({2, 3, 4}), make({2, 3, 4}));
  EXPECT_EQ(list(iter.shape()), List{24});
}

TEST(TensorIterator, AlsoWhenBothArePermutedAlike) {
  TensorIterator iter;
  const DimVector order{2, 0, 1};
  iter.build_binary_op(Tensor(), native::permute(make({2, 3, 4}), order), native::permute(make({2, 3, 4}), order));
  EXPECT_EQ(list(iter.shape()), List{24});
  EXPECT_EQ(list(iter.output().strides()), (List{1, 12, 4}));
}

TEST(TensorIterator, ABroadcastDimensionStaysApart) {
  TensorIterator iter;
  iter.build_binary_op(Tensor(), make({3, 4}), make({3, 1}));
  EXPECT_EQ(list(iter.shape()), (List{4, 3}));
  EXPECT_EQ(list(iter.strides(2)), (List{0, 4}));
}

// What torch gives for these inputs.
TEST(TensorIterator, AFreshOutputIsDenseInTheOrderOfTheInput) {
  EXPECT_EQ(output_strides(native::expand(make({3}), DimVector{2, 3})), (List{3, 1}));
  EXPECT_EQ(output_strides(native::expand(make({3, 1}), DimVector{3, 2})), (List{2, 1}));
  EXPECT_EQ(output_strides(native::slice(make({2, 3, 4}), 2, 0, 4, 2)), (List{6, 2, 1}));
  EXPECT_EQ(output_strides(native::permute(make({2, 3, 4}), DimVector{2, 0, 1})), (List{1, 12, 4}));
  EXPECT_EQ(output_strides(make({0, 3})), (List{3, 1}));
  EXPECT_EQ(output_strides(make({3, 0})), (List{1, 1}));
  EXPECT_EQ(output_strides(make({})), List{});
}

TEST(TensorIterator, ShapesThatDoNotMeetAreNamed) {
  TensorIterator iter;
  try {
    iter.build_binary_op(Tensor(), make({2, 3}), make({4}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1");
  }
}

TEST(TensorIterator, DimensionedTensorsRankOverZeroDimOnes) {
  struct Case {
    Tensor a, b;
    ScalarType expected;
  };
  const auto F = ScalarType::Float, D = ScalarType::Double;
  const Tensor number = wrapped_scalar_tensor(1.0);
  for (const Case& c : {Case{make({2}, F), make({2}, D), D}, Case{make({2}, F), make({}, D), F}, Case{make({}, F), make({}, D), D},
                        Case{make({}, F), number, F}, Case{make({2}, D), make({}, F), D}}) {
    TensorIterator iter;
    iter.build_binary_op(Tensor(), c.a, c.b);
    EXPECT_EQ(iter.common_dtype(), c.expected);
    EXPECT_EQ(iter.output().dtype(), c.expected);
    EXPECT_EQ(iter.dtype(1), c.expected);
  }
}

/// The element of a tensor at a position of the broadcast shape.
float element(const Tensor& tensor, const List& position) {
  std::int64_t offset = 0;
  const std::size_t missing = position.size() - tensor.sizes().size();
  for (std::size_t d = 0; d < tensor.sizes().size(); ++d) {
    if (tensor.sizes()[d] != 1) offset += position[missing + d] * tensor.strides()[d];
  }
  return reinterpret_cast<const float*>(tensor.data())[offset];
}

struct RandomViews {
  std::mt19937 random{20};
  int below(int n) { return static_cast<int>(random() % n); }

  /// A tensor that broadcasts to `shape`: dimensions dropped, of size 1, sliced with steps, in any order of memory.
  Tensor view_for(const List& shape) {
    const std::size_t ndim = shape.size();
    DimVector order(ndim), back(ndim), sizes(ndim);
    for (std::size_t d = 0; d < ndim; ++d) order[d] = d;
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t d = 0; d < ndim; ++d) {
      back[order[d]] = d;
      sizes[d] = (below(4) == 0 ? 1 : shape[order[d]]) * 2;
    }
    Tensor base = empty(sizes, ScalarType::Float);
    for (std::int64_t i = 0; i < base.numel(); ++i) reinterpret_cast<float*>(base.data())[i] = static_cast<float>(below(1000));
    Tensor view = native::permute(base, back);
    for (std::size_t d = 0; d < ndim; ++d) {
      const std::int64_t size = view.sizes()[d];
      view = below(2) ? native::slice(view, d, 1, size, 2) : native::slice(view, d, 0, size / 2, 1);
    }
    for (int dropped = below(ndim + 1); dropped > 0 && view.dim() > 0; --dropped) view = native::select(view, 0, 0);
    return view;
  }
};

TEST(TensorIterator, VisitsEachPositionOnceWithTheRightElements) {
  RandomViews make_random;
  for (int round = 0; round < 400; ++round) {
    List shape(make_random.below(5));
    for (std::int64_t& size : shape) size = 1 + make_random.below(4);
    const Tensor a = make_random.view_for(shape), b = make_random.view_for(shape);
    const DimVector common = infer_size(a.sizes(), b.sizes());
    TensorIterator iter;
    iter.build_binary_op(Tensor(), a, b);
    std::int64_t visited = 0;
    iter.for_each([&](char** data, const std::int64_t* strides, std::int64_t size0, std::int64_t size1) {
      for (std::int64_t j = 0; j < size1; ++j) {
        for (std::int64_t i = 0; i < size0; ++i, ++visited) {
          const auto at = [&](int t) { return reinterpret_cast<float*>(data[t] + i * strides[t] + j * strides[3 + t]); };
          *at(0) = *at(1) + 1000 * *at(2);
        }
      }
    });
    ASSERT_EQ(visited, iter.numel());
    List position(common.size(), 0);
    for (std::int64_t count = 0; count < iter.numel(); ++count) {
      ASSERT_EQ(element(iter.output(), position), element(a, position) + 1000 * element(b, position)) << "round " << round;
      for (std::size_t d = common.size(); d-- > 0;) {
        if (++position[d] < common[d]) break;
        position[d] = 0;
      }
    }
  }
}

TEST(TensorIterator, AnEmptyTensorIsNotVisited) {
  TensorIterator iter;
  iter.build_unary_op(Tensor(), make({3, 0}));
  iter.for_each([](char**, const std::int64_t*, std::int64_t, std::int64_t) { FAIL(); });
}

}  // namespace
}  // namespace tensorlib
