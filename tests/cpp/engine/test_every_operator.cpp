// Every operator there is gives the same bits however it is called: typed, on a stack of values, and through the tracer, which boxes the
// call and unboxes it again. Arguments come from the operator's types alone; of many sets of them, the first that it takes is compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "core/Exception.h"
#include "core/Warning.h"
#include "dispatch/Boxing.h"
#include "native/TensorConversions.h"
#include "native/TensorFactories.h"
#include "ops/DryRun.h"
#include "ops/ForEachOperator.h"
#include "ops/Registration.h"
#include "ops/TraceFallback.h"

namespace tensorlib {
namespace {

/// What arguments of each type are made of.
struct World {
  ScalarType first;   ///< Of the first tensor.
  ScalarType others;  ///< Of those after it.
  DimVector sizes;
  std::int64_t number;
  std::vector<std::int64_t> list;
  std::string text;
};

std::vector<World> worlds() {
  const std::pair<ScalarType, ScalarType> types[] = {{ScalarType::Float, ScalarType::Float},   {ScalarType::Float, ScalarType::Long},
                                                     {ScalarType::Float, ScalarType::Bool},    {ScalarType::Long, ScalarType::Long},
                                                     {ScalarType::Double, ScalarType::Double}, {ScalarType::Bool, ScalarType::Bool}};
  const DimVector shapes[] = {DimVector{4, 4}, DimVector{4}, DimVector{}, DimVector{1, 4}, DimVector{2, 4, 4}};
  const std::vector<std::int64_t> lists[] = {{4, 4}, {0}, {1, 0}, {4}, {}, {4, 1}};
  std::vector<World> made;
  for (const auto& [first, others] : types) {
    for (const DimVector& sizes : shapes) {
      for (const std::int64_t number : {0, 1, 2}) {
        for (const auto& list : lists) made.push_back({first, others, sizes, number, list, number == 0 ? "mean" : "floor"});
      }
    }
  }
  return made;
}

/// Small numbers, all different from 0 where the type allows it.
Tensor tensor_of(ScalarType dtype, const DimVector& sizes, int seed) {
  Tensor tensor = empty(sizes, ScalarType::Double);
  double* values = tensor.data_ptr<double>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    const auto step = static_cast<double>((i * 7 + seed * 3) % 5);
    values[i] = isFloatingType(dtype) ? 0.1 + step / 6 : step == 0 ? 1 : step / 3;
  }
  return native::to(tensor, dtype);
}

class Maker {
 public:
  explicit Maker(const World& world) : world_(world) {}

  template <typename T>
  IValue make() {
    if constexpr (std::is_same_v<T, Tensor> || std::is_same_v<T, std::optional<Tensor>>) return tensor();
    if constexpr (std::is_same_v<T, TensorList>) return std::vector<Tensor>{tensor(), tensor()};
    if constexpr (std::is_same_v<T, OptionalTensorList>) return std::vector<std::optional<Tensor>>{tensor()};
    if constexpr (std::is_same_v<T, Scalar>) return Scalar(2);
    if constexpr (std::is_same_v<T, std::optional<Scalar>>) return Scalar(1);
    if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::optional<std::int64_t>>) return world_.number + ints_++;
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>>) return 0.5;
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::optional<bool>>) return true;
    if constexpr (std::is_same_v<T, ScalarType>) return ScalarType::Double;
    if constexpr (std::is_same_v<T, std::string_view> || std::is_same_v<T, std::optional<std::string_view>>) return world_.text;
    if constexpr (std::is_same_v<T, IntArrayRef> || std::is_same_v<T, OptionalIntArrayRef>) return world_.list;
    return IValue();  // a dtype or generator that is not given
  }

 private:
  Tensor tensor() {
    ++made_;
    return tensor_of(made_ == 1 ? world_.first : world_.others, world_.sizes, made_);
  }

  const World& world_;
  int made_ = 0;
  std::int64_t ints_ = 0;
};

template <typename Signature>
struct Calls;

template <typename Return, typename... Args>
struct Calls<Return(Args...)> {
  static Stack arguments(const World& world) {
    Maker maker(world);
    return Stack{maker.make<std::decay_t<Args>>()...};
  }

  template <typename Op, std::size_t... i>
  static Stack typed(const Stack& arguments, std::index_sequence<i...>) {
    std::tuple<std::decay_t<Args>...> values{boxing::Unbox<std::decay_t<Args>>::from(arguments[i])...};
    Stack results;
    if constexpr (std::is_void_v<Return>) {
      Op::call(std::get<i>(values)...);
    } else {
      boxing::push_result(results, Op::call(std::get<i>(values)...));
    }
    return results;
  }
  template <typename Op>
  static Stack typed(const Stack& arguments) {
    return typed<Op>(arguments, std::index_sequence_for<Args...>());
  }
};

struct Outcome {
  std::string error;
  Stack results;
  Stack arguments;  ///< Afterwards: some operators write to them.
};

template <typename Call>
Outcome outcome(const Stack& arguments, Call&& call) {
  Outcome out;
  out.arguments = copy_arguments(arguments);
  default_generator().set_current_seed(1);
  try {
    out.results = call(out.arguments);
  } catch (const Error& error) {
    out.error = error.what();
  }
  return out;
}

bool same_elements(const Tensor& a, const Tensor& b) {
  DimVector index(a.sizes().size(), 0);
  const auto size = static_cast<std::size_t>(a.element_size());
  for (std::int64_t n = 0; n < a.numel(); ++n) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < index.size(); ++d) at += index[d] * a.strides()[d];
    if (std::memcmp(a.data() + at * a.element_size(), b.data() + at * b.element_size(), size) != 0) return false;
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < a.sizes()[d]) break;
      index[d] = 0;
    }
  }
  return true;
}

/// "" or what differs.
std::string difference(const IValue& a, const IValue& b, bool contents) {
  if (toString(a) != toString(b)) return toString(a) + " and " + toString(b);
  if (const auto* list = std::get_if<std::vector<Tensor>>(&a)) {
    const auto& other = std::get<std::vector<Tensor>>(b);
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string found = difference((*list)[i], other[i], contents);
      if (!found.empty()) return found;
    }
  }
  const Tensor* tensor = std::get_if<Tensor>(&a);
  if (!tensor || !tensor->defined()) return "";
  const Tensor& other = std::get<Tensor>(b);
  if (!std::ranges::equal(tensor->strides(), other.strides())) return "strides";
  return !contents || same_elements(*tensor, other) ? "" : "elements";
}

void expect_same(const Outcome& a, const Outcome& b, const std::string& what, bool contents) {
  EXPECT_EQ(a.error, b.error) << what;
  ASSERT_EQ(a.results.size(), b.results.size()) << what;
  for (std::size_t i = 0; i < a.results.size(); ++i)
    EXPECT_EQ(difference(a.results[i], b.results[i], contents), "") << what << " result " << i;
  for (std::size_t i = 0; i < a.arguments.size(); ++i)
    EXPECT_EQ(difference(a.arguments[i], b.arguments[i], contents), "") << what << " argument " << i;
}

template <typename Op>
Outcome call_typed(const Stack& arguments) {
  return outcome(arguments, [](const Stack& given) { return Calls<typename Op::schema>::template typed<Op>(given); });
}

/// Compares the three ways; whether the operator took the arguments.
template <typename Op>
bool compare(const World& world) {
  const Stack arguments = Calls<typename Op::schema>::arguments(world);
  const Outcome typed = call_typed<Op>(arguments);
  if (!typed.error.empty()) return false;
  const std::string name = Op::name;
  const bool contents = name.find("empty") == name.npos;  // whose memory holds what it held
  const Outcome boxed = outcome(arguments, [](const Stack& given) {
    Stack stack = given;
    dispatcher().findSchemaOrThrow(Op::name).callBoxed(stack);
    return stack;
  });
  expect_same(typed, boxed, name + " boxed", contents);
  set_dispatch_trace(true);
  testing::internal::CaptureStderr();
  const Outcome traced = call_typed<Op>(arguments);
  const std::string printed = testing::internal::GetCapturedStderr();
  set_dispatch_trace(false);
  expect_same(typed, traced, name + " traced", contents);
  EXPECT_TRUE(printed.starts_with(name + "(")) << name << ": " << printed;
  return true;
}

/// Operators that take none of the arguments above, which are too plain for them: not compared here.
const std::set<std::string_view> particular = {"tensorlib::mv", "tensorlib::nll_loss_backward", "tensorlib::cross_entropy_loss",
                                               "tensorlib::diagonal_backward"};

TEST(EveryOperator, GivesTheSameBitsTypedBoxedAndTraced) {
  const std::vector<World> all = worlds();
  std::vector<std::string_view> refused;
  for_each_operator([&](auto op) {
    using Op = decltype(op);
    if (std::ranges::none_of(all, [](const World& world) { return compare<Op>(world); })) refused.push_back(Op::name);
  });
  for (const std::string_view name : refused) EXPECT_TRUE(particular.contains(name)) << name << " takes none of the arguments";
}

}  // namespace
}  // namespace tensorlib
