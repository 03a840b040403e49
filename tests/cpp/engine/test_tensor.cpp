// Tensors, storage and views.
#include <gtest/gtest.h>

#include <limits>

#include "core/Exception.h"
#include "core/Scalar.h"
#include "core/Tensor.h"
#include "native/TensorConversions.h"
#include "native/TensorFactories.h"
#include "native/TensorShape.h"

namespace tensorlib {
namespace {

std::vector<std::int64_t> list(IntArrayRef values) { return {values.begin(), values.end()}; }
using List = std::vector<std::int64_t>;

TEST(Storage, IsAlignedSharedAndCounted) {
  const Tensor base = empty(DimVector{4, 4}, ScalarType::Float);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(base.data()) % 64, 0u);
  EXPECT_EQ(base.impl()->storage()->use_count(), 1u);
  {
    const Tensor row = native::select(base, 0, 1);
    EXPECT_EQ(row.data(), base.data() + 16);
    EXPECT_EQ(base.impl()->storage()->use_count(), 2u);
  }
  EXPECT_EQ(base.impl()->storage()->use_count(), 1u);
}

TEST(Tensor, BorrowingCountsNoOwner) {
  const auto owners = [](const Tensor& t) { return t.impl()->use_count(); };
  const Tensor one = empty(DimVector{2}, ScalarType::Float), two = empty(DimVector{3}, ScalarType::Float);
  {
    const BorrowedTensor borrowed(one);
    EXPECT_TRUE(borrowed.is_same(one));
    EXPECT_EQ(owners(one), 1u);
    const Tensor owner = borrowed;
    EXPECT_EQ(owners(one), 2u);
  }
  {
    MaybeOwnedTensor maybe;
    maybe.borrow(one);
    EXPECT_EQ(owners(one), 1u);
    const MaybeOwnedTensor copy(maybe);
    EXPECT_EQ(owners(one), 2u);
    MaybeOwnedTensor moved(std::move(maybe));
    EXPECT_TRUE(moved.is_same(one) && !maybe.defined());
    EXPECT_EQ(owners(one), 2u);
    moved = two;
    EXPECT_EQ(owners(two), 2u);
    moved.borrow(one);
    EXPECT_EQ(owners(two), 1u);
    const MaybeOwnedTensor taken = std::exchange(moved, MaybeOwnedTensor(two));
    EXPECT_TRUE(taken.is_same(one) && moved.is_same(two));
    EXPECT_EQ(owners(one), 2u);
    EXPECT_EQ(owners(two), 2u);
  }
  EXPECT_EQ(owners(one), 1u);
  EXPECT_EQ(owners(two), 1u);
}

TEST(Tensor, SizesThatCannotBeAreErrors) {
  EXPECT_THROW(empty(DimVector{2, -1}, ScalarType::Float), Error);
  EXPECT_THROW(empty(DimVector{std::int64_t{1} << 62, 4}, ScalarType::Float), Error);
  EXPECT_THROW(empty(DimVector{std::int64_t{1} << 61}, ScalarType::Double), Error);
  // Without elements, but with strides that would overflow.
  EXPECT_THROW(empty(DimVector{0, std::int64_t{1} << 62, 4}, ScalarType::Float), Error);
  EXPECT_THROW(native::expand(empty(DimVector{1}, ScalarType::Float), DimVector{std::int64_t{1} << 62}), Error);
  EXPECT_EQ(empty(DimVector{std::int64_t{1} << 50, 0}, ScalarType::Float).numel(), 0);
}

TEST(Tensor, ContiguityIgnoresDimensionsOfSizeOne) {
  const Tensor base = empty(DimVector{3, 4}, ScalarType::Float);
  EXPECT_TRUE(base.is_contiguous());
  EXPECT_FALSE(native::select(base, 1, 0).is_contiguous());
  EXPECT_TRUE(native::select(base, 0, 2).is_contiguous());
  EXPECT_TRUE(as_strided(base, DimVector{1, 4}, DimVector{77, 1}, 0).is_contiguous());
}

TEST(Views, SelectAndSliceMoveTheOffset) {
  const Tensor base = empty(DimVector{10, 2}, ScalarType::Float);
  const Tensor column = native::select(base, 1, -1);
  EXPECT_EQ(list(column.sizes()), List{10});
  EXPECT_EQ(list(column.strides()), List{2});
  EXPECT_EQ(column.impl()->storage_offset(), 1);
  const Tensor part = native::slice(column, 0, 1, 8, 3);
  EXPECT_EQ(list(part.sizes()), List{3});
  EXPECT_EQ(list(part.strides()), List{6});
  EXPECT_EQ(part.impl()->storage_offset(), 3);
  EXPECT_THROW(native::select(base, 0, 10), IndexError);
  EXPECT_THROW(native::select(base, 0, -11), IndexError);
}

TEST(Views, AHugeStepLeavesOneElement) {
  const Tensor base = empty(DimVector{10}, ScalarType::Float);
  const Tensor first = native::slice(native::select(empty(DimVector{10, 7}, ScalarType::Float), 1, 0), 0, 0, 10, INT64_MAX);
  EXPECT_EQ(first.numel(), 1);
  EXPECT_EQ(native::slice(base, 0, 5, 3, 1).numel(), 0);
}

TEST(Views, UnsqueezeHasTheStrideOfADenseDimension) {
  const Tensor base = empty(DimVector{3, 4}, ScalarType::Float);
  EXPECT_EQ(list(native::unsqueeze(base, 0).strides()), (List{12, 4, 1}));
  EXPECT_EQ(list(native::unsqueeze(base, 1).sizes()), (List{3, 1, 4}));
  EXPECT_EQ(list(native::unsqueeze(base, 1).strides()), (List{4, 4, 1}));
  EXPECT_EQ(list(native::unsqueeze(base, -1).strides()), (List{4, 1, 1}));
  EXPECT_THROW(native::unsqueeze(base, 3), IndexError);
  EXPECT_THROW(native::unsqueeze(base, -4), IndexError);
}

TEST(Views, ExpandAndPermuteCheckWhatTheyAreGiven) {
  const Tensor base = empty(DimVector{3, 1}, ScalarType::Float);
  EXPECT_EQ(list(native::expand(base, DimVector{2, -1, 4}).strides()), (List{0, 1, 0}));
  EXPECT_THROW(native::expand(base, DimVector{2, 4}), Error);
  EXPECT_THROW(native::expand(base, DimVector{-1, 3, 1}), Error);
  EXPECT_EQ(list(native::permute(base, DimVector{1, 0}).sizes()), (List{1, 3}));
  EXPECT_THROW(native::permute(base, DimVector{0, 0}), Error);
  EXPECT_THROW(native::permute(base, DimVector{0}), Error);
}

TEST(Conversions, RoundToNearestAndKeepTheOrderOfMemory) {
  const Tensor wide = native::full(DimVector{2, 3}, 0.1, ScalarType::Double);
  const Tensor narrow = native::to(native::permute(wide, DimVector{1, 0}), ScalarType::Float);
  EXPECT_EQ(narrow.dtype(), ScalarType::Float);
  EXPECT_EQ(*reinterpret_cast<float*>(narrow.data()), 0.1f);
  EXPECT_EQ(list(narrow.strides()), (List{1, 3}));
  EXPECT_TRUE(native::contiguous(narrow).is_contiguous());
  EXPECT_TRUE(native::contiguous(wide).is_same(wide));
}

TEST(Scalar, IsConvertedOnceToNearest) {
  const std::int64_t odd = (std::int64_t{1} << 24) + 1;
  EXPECT_EQ(Scalar(odd).roundedTo(ScalarType::Float), 16777216.0);
  EXPECT_EQ(Scalar(odd).roundedTo(ScalarType::Double), 16777217.0);
  // Through double this would round twice, to 2^60.
  const std::int64_t halfway = (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1;
  EXPECT_EQ(Scalar(halfway).toFloat(), 0x1p60f + 0x1p37f);
  EXPECT_EQ(Scalar(0.5 + 1e-12).roundedTo(ScalarType::Float), 0.5);
  EXPECT_EQ((-Scalar(std::numeric_limits<std::int64_t>::min())).toDouble(), 0x1p63);
  EXPECT_EQ((-Scalar(true)).toDouble(), -1.0);
}

}  // namespace
}  // namespace tensorlib
