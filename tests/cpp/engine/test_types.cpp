// Element types: promotion as torch's tables have it, numbers becoming elements, elements becoming others.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/Dispatch.h"
#include "core/Exception.h"
#include "native/TensorConversions.h"
#include "native/TensorFactories.h"
#include "native/TypeProperties.h"

namespace tensorlib {
namespace {

constexpr ScalarType all_types[] = {ScalarType::Byte, ScalarType::Char,  ScalarType::Short,  ScalarType::Int,
                                    ScalarType::Long, ScalarType::Float, ScalarType::Double, ScalarType::Bool};

char letter(ScalarType type) { return "UCSILFDB"[static_cast<int>(type)]; }

Tensor ones(std::initializer_list<std::int64_t> sizes, ScalarType dtype) { return native::full(DimVector(sizes), 1, dtype); }

// torch.promote_types, rows and columns in the order of all_types.
TEST(Promotion, OfTypesIsTorchs) {
  const char* const expected[] = {"USSILFDU", "SCSILFDC", "SSSILFDS", "IIIILFDI", "LLLLLFDL", "FFFFFFDF", "DDDDDDDD", "UCSILFDB"};
  for (int row = 0; row < numScalarTypes; ++row) {
    std::string got;
    for (ScalarType other : all_types) got += letter(promoteTypes(all_types[row], other));
    EXPECT_EQ(got, expected[row]) << toString(all_types[row]);
  }
}

// torch.result_type of a dimensioned with a 0-dim tensor, and of tensors and numbers with the numbers True, 1, 1.0.
TEST(Promotion, OfOperandsRanksDimensionedOverZeroDimOverNumbers) {
  const char* const dim_zero[] = {"UUUUUFDU", "CCCCCFDC", "SSSSSFDS", "IIIIIFDI", "LLLLLFDL", "FFFFFFFF", "DDDDDDDD", "UCSILFDB"};
  const char* const with_number[] = {"UUF", "CCF", "SSF", "IIF", "LLF", "FFF", "DDD", "BLF"};
  const Scalar numbers[] = {Scalar(true), Scalar(1), Scalar(1.0)};
  for (int row = 0; row < numScalarTypes; ++row) {
    const Tensor dimensioned = ones({2}, all_types[row]), zero_dim = ones({}, all_types[row]);
    std::string got, dim_number, zero_number, wrapped;
    for (ScalarType other : all_types) got += letter(native::result_type(ones({}, other), dimensioned));
    for (const Scalar& number : numbers) {
      dim_number += letter(native::result_type(dimensioned, number));
      zero_number += letter(native::result_type(number, zero_dim));
      wrapped += letter(native::result_type(wrapped_scalar_tensor(number), zero_dim));
    }
    EXPECT_EQ(got, dim_zero[row]);
    EXPECT_EQ(dim_number, with_number[row]);
    EXPECT_EQ(zero_number, with_number[row]);
    EXPECT_EQ(wrapped, with_number[row]);
  }
  std::string among_numbers;
  for (const Scalar& a : numbers) {
    for (const Scalar& b : numbers) among_numbers += letter(native::result_type(a, b));
  }
  EXPECT_EQ(among_numbers, "BLFLLFFFF");
}

TEST(Casting, GoesDownWithinACategoryAndUpBetweenThem) {
  EXPECT_TRUE(canCast(ScalarType::Double, ScalarType::Float));
  EXPECT_TRUE(canCast(ScalarType::Long, ScalarType::Float));
  EXPECT_TRUE(canCast(ScalarType::Long, ScalarType::Char));
  EXPECT_TRUE(canCast(ScalarType::Bool, ScalarType::Byte));
  EXPECT_FALSE(canCast(ScalarType::Float, ScalarType::Long));
  EXPECT_FALSE(canCast(ScalarType::Byte, ScalarType::Bool));
  EXPECT_FALSE(canCast(ScalarType::Float, ScalarType::Bool));
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Scalar, SaysWhichTypeHasNoRoomForIt) {
  const auto message = [](const char* type) { return std::string("value cannot be converted to type ") + type + " without overflow"; };
  EXPECT_EQ(message_of([] { Scalar(128).toChar(); }), message("int8_t"));
  EXPECT_EQ(message_of([] { Scalar(-129).toChar(); }), message("int8_t"));
  EXPECT_EQ(message_of([] { Scalar(256).toByte(); }), message("uint8_t"));
  EXPECT_EQ(message_of([] { Scalar(-256).toByte(); }), message("uint8_t"));
  EXPECT_EQ(message_of([] { Scalar(1 << 15).toShort(); }), message("int16_t"));
  EXPECT_EQ(message_of([] { Scalar(std::int64_t{1} << 31).toInt(); }), message("int"));
  EXPECT_EQ(message_of([] { Scalar(0x1p63).toLong(); }), message("int64_t"));
  EXPECT_EQ(message_of([] { Scalar(std::nan("")).toLong(); }), message("int64_t"));
  EXPECT_EQ(message_of([] { Scalar(HUGE_VAL).toInt(); }), message("int"));
  EXPECT_EQ(message_of([] { Scalar(1e39).toFloat(); }), message("float"));
}

TEST(Scalar, AtTheEdgesThereIsRoom) {
  EXPECT_EQ(Scalar(127).toChar(), 127);
  EXPECT_EQ(Scalar(-128).toChar(), -128);
  EXPECT_EQ(Scalar(255).toByte(), 255);
  EXPECT_EQ(Scalar(-1).toByte(), 255);
  EXPECT_EQ(Scalar(-255).toByte(), 1);
  EXPECT_EQ(Scalar(-0x1p63).toLong(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Scalar(2.9).toInt(), 2);
  EXPECT_TRUE(std::isinf(Scalar(HUGE_VAL).toFloat()));
  EXPECT_TRUE(std::isnan(Scalar(std::nan("")).toFloat()));
  EXPECT_TRUE(Scalar(300).toBool());
  EXPECT_FALSE(Scalar(0.0).toBool());
  EXPECT_EQ(Scalar(std::numeric_limits<std::int64_t>::max()).toLong(), std::numeric_limits<std::int64_t>::max());
}

TEST(Scalar, KnowsItsKind) {
  EXPECT_EQ(Scalar(true).type(), ScalarType::Bool);
  EXPECT_EQ(Scalar(1).type(), ScalarType::Long);
  EXPECT_EQ(Scalar(1.0f).type(), ScalarType::Double);
  EXPECT_TRUE(Scalar(2).equal(2.0));
  EXPECT_FALSE(Scalar((std::int64_t{1} << 53) + 1).equal(std::int64_t{1} << 53));
  EXPECT_FALSE(Scalar(std::nan("")).equal(std::nan("")));
}

template <typename T>
std::vector<T> values(const Tensor& tensor) {
  return std::vector<T>(tensor.data_ptr<T>(), tensor.data_ptr<T>() + tensor.numel());
}

Tensor doubles(const std::vector<double>& data) {
  const Tensor tensor = empty(DimVector{static_cast<std::int64_t>(data.size())}, ScalarType::Double);
  std::copy(data.begin(), data.end(), tensor.data_ptr<double>());
  return tensor;
}

// What torch gives on x86 for the same numbers.
TEST(Copy, FromFloatsDropsFractionsAndIsDefinedOutsideTheRange) {
  const Tensor from = doubles({300., -1., 3e9, 1e20, std::nan(""), -129.7, -3e9, 2147483647.5});
  constexpr std::int32_t int_min = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t long_min = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(values<std::uint8_t>(native::to(from, ScalarType::Byte)), (std::vector<std::uint8_t>{44, 255, 0, 0, 0, 127, 0, 255}));
  EXPECT_EQ(values<std::int8_t>(native::to(from, ScalarType::Char)), (std::vector<std::int8_t>{44, -1, 0, 0, 0, 127, 0, -1}));
  EXPECT_EQ(values<std::int16_t>(native::to(from, ScalarType::Short)), (std::vector<std::int16_t>{300, -1, 0, 0, 0, -129, 0, -1}));
  EXPECT_EQ(values<std::int32_t>(native::to(from, ScalarType::Int)),
            (std::vector<std::int32_t>{300, -1, int_min, int_min, int_min, -129, int_min, 2147483647}));
  EXPECT_EQ(values<std::int64_t>(native::to(from, ScalarType::Long)),
            (std::vector<std::int64_t>{300, -1, 3000000000, long_min, long_min, -129, -3000000000, 2147483647}));
  EXPECT_EQ(values<bool>(native::to(from, ScalarType::Bool)), std::vector<bool>(8, true));
}

TEST(Copy, OneElementConvertsAsManyDo) {
  for (double number : {300., -1., 3e9, 1e20, -129.7, 0., 1e-300}) {
    for (ScalarType type : all_types) {
      const Tensor one = native::to(doubles({number}), type), many = native::to(doubles({number, number, number}), type);
      EXPECT_EQ(std::memcmp(one.data(), many.data(), one.element_size()), 0) << number << " " << toString(type);
    }
  }
}

TEST(Copy, ConvertsBetweenAllTypesWhereBothHoldTheNumber) {
  for (ScalarType from : all_types) {
    for (ScalarType to : all_types) {
      const Tensor source = native::full(DimVector{5, 3}, 1, from), target = native::full(DimVector{5, 6}, 0, to);
      native::copy_(as_strided(target, DimVector{5, 3}, DimVector{6, 2}, 1), source);
      const Tensor seen = native::to(target, ScalarType::Double);
      for (int i = 0; i < 30; ++i) EXPECT_EQ(seen.data_ptr<double>()[i], i % 2) << toString(from) << " to " << toString(to);
    }
  }
}

TEST(Fill, ReachesEveryElementOfAViewAndNoOther) {
  for (ScalarType type : all_types) {
    for (std::int64_t n : {1, 15, 64, 65, 200}) {
      const Tensor base = native::full(DimVector{n, 2}, 0, type), dense = native::full(DimVector{n}, 1, type);
      native::fill_(as_strided(base, DimVector{n}, DimVector{2}, 1), 1);
      const Tensor seen = native::to(base, ScalarType::Double), seen_dense = native::to(dense, ScalarType::Double);
      for (int i = 0; i < 2 * n; ++i) ASSERT_EQ(seen.data_ptr<double>()[i], i % 2);
      for (int i = 0; i < n; ++i) ASSERT_EQ(seen_dense.data_ptr<double>()[i], 1);
    }
  }
  EXPECT_THROW(native::full(DimVector{2}, 300, ScalarType::Char), Error);
}

TEST(Dispatch, NamesTheOperatorAndTheTypeItLacks) {
  const auto call = [](ScalarType type) { TENSORLIB_DISPATCH_ALL_TYPES(type, "pow", { EXPECT_EQ(sizeof(scalar_t), elementSize(type)); }); };
  for (ScalarType type : all_types) {
    if (type != ScalarType::Bool) call(type);
  }
  EXPECT_EQ(message_of([&] { call(ScalarType::Bool); }), "\"pow\" not implemented for 'Bool'");
}

}  // namespace
}  // namespace tensorlib
