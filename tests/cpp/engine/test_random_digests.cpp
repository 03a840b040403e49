// After manual_seed(0), the bytes that torch draws: digests taken from torch 1.13 on AVX2 and AVX-512, most of them from 2.6 too.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <mutex>

#include "core/CPUGenerator.h"
#include "core/Exception.h"
#include "md5.hpp"
#include "native/TensorConversions.h"
#include "native/TensorShape.h"
#include "ops/Functions.h"

namespace tensorlib {
namespace {

constexpr auto F32 = ScalarType::Float, F64 = ScalarType::Double;

std::string digest(const Tensor& tensor) {
  const Tensor rows = at::contiguous(tensor);
  return engine_tests::md5(rows.data(), static_cast<std::size_t>(rows.numel() * rows.element_size()));
}

Tensor empty_of(std::initializer_list<std::int64_t> sizes, ScalarType dtype = F32) { return at::zeros(DimVector(sizes), dtype); }

class Digests : public testing::Test {
 protected:
  void SetUp() override { seed(); }
  static void seed() {
    const std::lock_guard lock(default_generator().mutex());
    default_generator().set_current_seed(0);
  }
};

TEST_F(Digests, TheDigestItselfIsMd5) {
  EXPECT_EQ(engine_tests::md5("", 0), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(engine_tests::md5("message digest", 14), "f96b697d7cb7938d525a2f31aaf161d0");
}

TEST_F(Digests, Randn) {
  EXPECT_EQ(digest(at::randn(DimVector{10000, 2})), "f3ddb330c1d73c6e82ce7ab5d15557f8");
  seed();
  EXPECT_EQ(digest(at::randn(DimVector{10000, 2}, F64)), "2da5f4bf4bf25db38401c8bd012e9924");
  seed();
  EXPECT_EQ(digest(at::randn(DimVector{15})), "15735a1397ec527120165ded0ee36596");
  seed();
  EXPECT_EQ(digest(at::randn(DimVector{17})), "c190402a04a5902d5354361f124fa8a7");
}

TEST_F(Digests, Normal) {
  Tensor many = empty_of({100001});
  EXPECT_EQ(digest(at::normal_(many, 2, 3)), "bb875ccb2ee5ffeab6bf745779613c9f");
  seed();
  const Tensor base = empty_of({5, 8});
  Tensor turned = at::t(base);
  at::normal_(turned);
  EXPECT_EQ(digest(base), "94a58e1b31ac1f83de4a3dd886de1e92");
  seed();
  const Tensor pairs = empty_of({40, 2}, F64);
  Tensor column = at::select(pairs, 1, 1);
  at::normal_(column, 1, 2);
  EXPECT_EQ(digest(pairs), "39e2bd896cb3b197a833a2dc28c911e3");
  seed();
  Tensor wide = empty_of({1001}, F64);
  EXPECT_EQ(digest(at::normal_(wide, -1, 0.5)), "efb84f316d71c648e0fedade2c6cff33");
}

TEST_F(Digests, TheKeptNormalSurvivesABlock) {
  const Tensor parts[] = {at::randn(DimVector{3}), at::randn(DimVector{20}), at::randn(DimVector{4})};
  EXPECT_EQ(digest(at::cat(parts)), "4e71f33ed471238475bd8987a4cab366");
}

TEST_F(Digests, NormalOfTensors) {
  // Whole numbers and their 512ths: float32 holds them exactly.
  const Tensor mean = at::arange(-500.0, 500.0, 1.0), std = at::mul(at::arange(1000.0), wrapped_scalar_tensor(1.0 / 512));
  EXPECT_EQ(digest(at::normal(mean, std)), "abcd521ee6d880896b1effb6fbb63957");
  seed();
  EXPECT_EQ(digest(at::normal(mean, 0.5)), "958e3f785d08f2004ddce07181262ba4");
  seed();
  EXPECT_EQ(digest(at::normal(0.25, at::to(std, F64))), "43586bf333793b8759cf61b4e92444b3");
}

TEST_F(Digests, Uniform) {
  EXPECT_EQ(digest(at::rand(DimVector{1000})), "f3df09026342764f46cd3fdfee398e1a");
  EXPECT_EQ(digest(at::rand(DimVector{1000}, F64)), "330990b6d848594e7c207febefb93310");
  seed();
  Tensor single = empty_of({1000});
  EXPECT_EQ(digest(at::uniform_(single, -1.0 / 7, 1.0 / 3)), "9b2bc125d0e6b9a2c35e2c0aae16dae1");
  seed();
  Tensor twice = empty_of({1000}, F64);
  EXPECT_EQ(digest(at::uniform_(twice, -1.0 / 7, 1.0 / 3)), "7adf52fc64c664efe081bb87d1c1c052");
}

TEST_F(Digests, UniformFillsInTheOrderOfMemory) {
  const Tensor base = empty_of({6, 10});
  Tensor every_other = native::slice(base, 1, 0, 10, 2);
  at::uniform_(every_other);
  EXPECT_EQ(digest(base), "002093810ac552257ece370ad00c3228");
  seed();
  const Tensor cube = empty_of({2, 3, 4});
  Tensor turned = at::permute(cube, DimVector{2, 0, 1});
  at::uniform_(turned);
  EXPECT_EQ(digest(cube), "9c11c92e9e159e9d96e051f452ec450a");
}

TEST_F(Digests, Integers) {
  const Tensor ten = at::randint(10, DimVector{8});
  const std::int64_t expected[] = {4, 9, 3, 0, 3, 9, 7, 3};
  EXPECT_TRUE(std::equal(expected, expected + 8, ten.data_ptr<std::int64_t>()));
  seed();
  EXPECT_EQ(digest(at::randint(-5, std::int64_t{1} << 40, DimVector{100})), "038b499821b32dcfd8f5b5bbbc8ee105");
  seed();
  EXPECT_EQ(digest(at::randint(-128, 128, DimVector{100}, ScalarType::Char)), "ac4cc1b236ad0ef2ab16469b52b90ab6");
  seed();
  EXPECT_EQ(digest(at::randint(0, 100, DimVector{100}, F32)), "75410e2bfdd3086d67bdb27d1b4fdc58");
  seed();
  EXPECT_EQ(digest(at::randint(0, 2, DimVector{100}, ScalarType::Bool)), "6683cc9719aa1ea924962d8099064f21");
}

TEST_F(Digests, Permutations) {
  EXPECT_EQ(digest(at::randperm(1000)), "5c05c022c4c6682bb282b98bf7c7d4f5");
  seed();
  const Tensor ten = at::randperm(10);
  const std::int64_t expected[] = {4, 1, 7, 5, 3, 9, 0, 8, 6, 2};
  EXPECT_TRUE(std::equal(expected, expected + 10, ten.data_ptr<std::int64_t>()));
  seed();
  EXPECT_EQ(digest(at::randperm(777, ScalarType::Int)), "760a4d74688c45fd9ad6778139f6f946");
}

TEST_F(Digests, Bernoulli) {
  Tensor floats = empty_of({1000}), longs = empty_of({1000}, ScalarType::Long);
  EXPECT_EQ(digest(at::bernoulli_(floats, 0.3)), "c47dc1605f6c54ce4a5e1c0f7ef41926");
  seed();
  EXPECT_EQ(digest(at::bernoulli_(longs, 0.3)), "0f6419a5cb86e04f7d45dcd90df79f37");
  seed();
  EXPECT_EQ(digest(at::bernoulli_(floats, at::linspace(0, 1, 1000))), "d63da35dd3f4610984856116073e46b6");
  seed();
  EXPECT_EQ(digest(at::bernoulli_(floats, at::linspace(0, 1, 1000, F64))), "fd75792aa7978ee2b7b13a40aa4c4075");
  seed();
  EXPECT_EQ(digest(at::bernoulli(at::linspace(0, 1, 1000))), "d63da35dd3f4610984856116073e46b6");
}

TEST_F(Digests, AGeneratorOfOnesOwnIsTheSameMachine) {
  CPUGenerator own(0);
  EXPECT_EQ(digest(at::randn(DimVector{10000, 2}, &own)), "f3ddb330c1d73c6e82ce7ab5d15557f8");
  EXPECT_EQ(digest(at::randperm(1000)), "5c05c022c4c6682bb282b98bf7c7d4f5");
}

TEST_F(Digests, NothingIsDrawnForNothing) {
  at::rand(DimVector{0}), at::randn(DimVector{3, 0}), at::randperm(0), at::randperm(1);
  EXPECT_EQ(digest(at::randperm(1000)), "5c05c022c4c6682bb282b98bf7c7d4f5");
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(Digests, BadArgumentsDrawNothingAndSayWhy) {
  Tensor longs = empty_of({20}, ScalarType::Long), floats = empty_of({2});
  EXPECT_EQ(message_of([&] { at::normal_(longs); }), "\"normal_kernel_cpu\" not implemented for 'Long'");
  EXPECT_EQ(message_of([&] { at::uniform_(longs); }), "\"check_uniform_bounds\" not implemented for 'Long'");
  EXPECT_EQ(message_of([&] { at::normal_(floats, 0, -1); }), "normal expects std >= 0.0, but found std -1");
  EXPECT_EQ(message_of([&] { at::uniform_(floats, 2, 1); }), "uniform_ expects to return a [from, to) range, but found from=2 > to=1");
  EXPECT_EQ(message_of([&] { at::uniform_(floats, 0, 1e39); }), "to is out of bounds for float");
  EXPECT_EQ(message_of([&] { at::uniform_(floats, -3e38, 3e38); }),
            "uniform_ expects to-from <= std::numeric_limits<Float>::max(), but found to=3e+38 and from=-3e+38 which result in to-from to "
            "exceed the limit");
  EXPECT_EQ(message_of([&] { at::bernoulli_(floats, 1.5); }), "bernoulli_ expects p to be in [0, 1], but got p=1.5");
  EXPECT_EQ(message_of([&] { at::randint(5, 5, DimVector{2}); }), "random_ expects 'from' to be less than 'to', but got from=5 >= to=5");
  EXPECT_NE(message_of([&] { at::randint(0, 300, DimVector{2}, ScalarType::Char); }).find("to - 1 is out of bounds for"),
            std::string::npos);
  EXPECT_EQ(message_of([&] { at::randperm(300, ScalarType::Char); }), "value cannot be converted to type int8_t without overflow");
  Tensor expanded = at::expand(floats, DimVector{3, 2});
  EXPECT_NE(message_of([&] { at::normal_(expanded); }).find("more than one element of the written-to tensor"), std::string::npos);
  EXPECT_EQ(digest(at::randperm(1000)), "5c05c022c4c6682bb282b98bf7c7d4f5");
}

}  // namespace
}  // namespace tensorlib
