// Views and copies by position: chains of random operators against the definition of each, in terms of positions alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "core/Exception.h"
#include "ops/Functions.h"

namespace tensorlib {
namespace {

using List = std::vector<std::int64_t>;
List list(IntArrayRef values) { return {values.begin(), values.end()}; }
DimVector dims(const List& values) { return DimVector(IntArrayRef(values)); }
std::int64_t product(const List& sizes) { return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>()); }

/// Calls use(position) for each position of a shape, in row-major order.
void each_position(const List& sizes, const std::function<void(const List&)>& use) {
  List position(sizes.size(), 0);
  for (std::int64_t left = product(sizes); left > 0; --left) {
    use(position);
    for (std::size_t d = sizes.size(); d-- > 0;) {
      if (++position[d] < sizes[d]) break;
      position[d] = 0;
    }
  }
}

/// A tensor as its definition: sizes, and elements in row-major order.
struct Model {
  List sizes;
  List values;

  std::int64_t at(const List& position) const {
    std::int64_t i = 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) i = i * sizes[d] + position[d];
    return values[static_cast<std::size_t>(i)];
  }
  Model map(const List& to, const std::function<List(const List&)>& from) const {
    Model result{to, {}};
    each_position(to, [&](const List& position) { result.values.push_back(at(from(position))); });
    return result;
  }
};

Model model_of(const Tensor& tensor) {
  Model result{list(tensor.sizes()), {}};
  each_position(result.sizes, [&](const List& position) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < position.size(); ++d) offset += position[d] * tensor.strides()[d];
    result.values.push_back(tensor.data_ptr<std::int64_t>()[offset]);
  });
  return result;
}

struct Walk {
  std::mt19937 random;
  Tensor tensor;
  Model model;
  std::string said;

  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)); }
  std::int64_t ndim() const { return static_cast<std::int64_t>(model.sizes.size()); }
  std::int64_t signed_dim(std::int64_t d, std::int64_t n) { return below(2) ? d : d - n; }

  void start() {
    List sizes(static_cast<std::size_t>(below(4)) + 1);
    for (auto& size : sizes) size = below(8) == 0 ? 0 : below(4) + 1;
    tensor = at::view(at::arange(product(sizes)), dims(sizes));
    model.sizes = sizes;
    model.values.resize(static_cast<std::size_t>(product(sizes)));
    std::iota(model.values.begin(), model.values.end(), 0);
  }

  void select() {
    const std::int64_t d = below(ndim()), size = model.sizes[d];
    if (size == 0) return;
    const std::int64_t i = below(size);
    tensor = at::select(tensor, signed_dim(d, ndim()), below(2) ? i : i - size);
    List to = model.sizes;
    to.erase(to.begin() + d);
    model = model.map(to, [&](List p) { return p.insert(p.begin() + d, i), p; });
  }
  void slice() {
    const std::int64_t d = below(ndim()), size = model.sizes[d];
    const std::int64_t start = below(2 * size + 3) - size - 1, end = below(2 * size + 3) - size - 1, step = below(3) + 1;
    tensor = at::slice(tensor, signed_dim(d, ndim()), start, end, step);
    // Python's own rule, one element after the other.
    List taken;
    const auto bound = [&](std::int64_t b) { return std::clamp<std::int64_t>(b < 0 ? b + size : b, 0, size); };
    for (std::int64_t i = bound(start); i < bound(end); i += step) taken.push_back(i);
    List to = model.sizes;
    to[d] = static_cast<std::int64_t>(taken.size());
    model = model.map(to, [&](List p) { return p[d] = taken[p[d]], p; });
  }
  void unsqueeze() {
    const std::int64_t d = below(ndim() + 1);
    tensor = at::unsqueeze(tensor, signed_dim(d, ndim() + 1));
    List to = model.sizes;
    to.insert(to.begin() + d, 1);
    model = model.map(to, [&](List p) { return p.erase(p.begin() + d), p; });
  }
  void squeeze() {
    tensor = at::squeeze(tensor);
    List to;
    std::copy_if(model.sizes.begin(), model.sizes.end(), std::back_inserter(to), [](std::int64_t s) { return s != 1; });
    model.sizes = to;
  }
  void permute() {
    List order(model.sizes.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    tensor = at::permute(tensor, dims(order));
    List to(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) to[i] = model.sizes[order[i]];
    model = model.map(to, [&](const List& p) {
      List q(p.size());
      for (std::size_t i = 0; i < p.size(); ++i) q[order[i]] = p[i];
      return q;
    });
  }
  void expand() {
    const std::size_t added = static_cast<std::size_t>(below(2));
    List to = model.sizes, asked;
    for (auto& size : to) size = size == 1 ? below(3) + 1 : size;
    to.insert(to.begin(), added, below(2) + 1);
    for (std::size_t d = 0; d < to.size(); ++d)
      asked.push_back(d >= added && below(3) == 0 && model.sizes[d - added] == to[d] ? -1 : to[d]);
    tensor = at::expand(tensor, dims(asked));
    model = model.map(to, [&](const List& p) {
      List q(p.begin() + static_cast<std::ptrdiff_t>(added), p.end());
      for (std::size_t d = 0; d < q.size(); ++d) q[d] = model.sizes[d] == 1 ? 0 : q[d];
      return q;
    });
  }
  void reshape() {
    // Factors of the number of elements, in a random grouping.
    List to;
    std::int64_t left = product(model.sizes);
    if (left == 0) return;
    for (std::int64_t f = 2; left > 1;) left % f == 0 ? (to.push_back(f), left /= f) : ++f;
    std::shuffle(to.begin(), to.end(), random);
    while (to.size() > 3 || (to.size() > 1 && below(2))) to[to.size() - 2] *= to.back(), to.pop_back();
    List asked = to;
    if (!asked.empty() && below(2)) asked[below(static_cast<std::int64_t>(asked.size()))] = -1;
    tensor = at::reshape(tensor, dims(asked));
    model.sizes = to;
  }
  void flatten() {
    const std::int64_t first = below(ndim()), last = first + below(ndim() - first);
    tensor = at::flatten(tensor, first, last - ndim());
    List to = model.sizes;
    for (std::int64_t d = last; d > first; --d) to[d - 1] *= to[d], to.erase(to.begin() + d);
    model.sizes = to;
  }
  void flip() {
    const std::int64_t d = below(ndim());
    tensor = at::flip(tensor, DimVector{signed_dim(d, ndim())});
    model = model.map(model.sizes, [&](List p) { return p[d] = model.sizes[d] - 1 - p[d], p; });
  }
  void repeat() {
    List times(model.sizes.size() + static_cast<std::size_t>(below(2)), 1);
    for (auto& t : times) t = below(5) == 0 ? 0 : below(2) + 1;
    tensor = at::repeat(tensor, dims(times));
    const std::size_t added = times.size() - model.sizes.size();
    List to = times;
    for (std::size_t d = added; d < to.size(); ++d) to[d] *= model.sizes[d - added];
    model = model.map(to, [&](const List& p) {
      List q;
      for (std::size_t d = added; d < p.size(); ++d) q.push_back(p[d] % model.sizes[d - added]);
      return q;
    });
  }
  void cat() {
    const std::int64_t d = below(ndim()), size = model.sizes[d];
    const Tensor parts[] = {tensor, tensor, at::slice(tensor, d, 0, size / 2)};
    tensor = at::cat(parts, signed_dim(d, ndim()));
    List to = model.sizes;
    to[d] = 2 * size + size / 2;
    model = model.map(to, [&](List p) { return p[d] %= size, p; });
  }
  void stack() {
    const std::int64_t d = below(ndim() + 1);
    const Tensor parts[] = {tensor, tensor};
    tensor = at::stack(parts, signed_dim(d, ndim() + 1));
    List to = model.sizes;
    to.insert(to.begin() + d, 2);
    model = model.map(to, [&](List p) { return p.erase(p.begin() + d), p; });
  }
  void index_select() {
    const std::int64_t d = below(ndim()), size = model.sizes[d];
    if (size == 0) return;
    const std::int64_t count = below(4);
    const Tensor index = at::randint(0, size, DimVector{count});
    tensor = at::index_select(tensor, signed_dim(d, ndim()), index);
    List to = model.sizes;
    to[d] = count;
    model = model.map(to, [&](List p) { return p[d] = index.data_ptr<std::int64_t>()[p[d]], p; });
  }
  void diagonal() {
    if (ndim() < 2) return;
    const std::int64_t offset = below(5) - 2;
    const std::int64_t rows = model.sizes[0], columns = model.sizes[1];
    tensor = at::diagonal(tensor, offset, 0, 1);
    std::int64_t length = 0;
    for (std::int64_t i = 0; i < rows; ++i) length += i + offset >= 0 && i + offset < columns;
    List to(model.sizes.begin() + 2, model.sizes.end());
    to.push_back(length);
    model = model.map(to, [&](List p) {
      const std::int64_t i = p.back();
      p.pop_back();
      p.insert(p.begin(), {i + std::max<std::int64_t>(-offset, 0), i + std::max<std::int64_t>(offset, 0)});
      return p;
    });
  }
  void copy() {
    switch (below(3)) {
      case 0:
        tensor = at::contiguous(tensor);
        ASSERT_TRUE(tensor.is_contiguous());
        break;
      case 1:
        tensor = at::clone(tensor);
        break;
      default:
        tensor = at::to(at::to(tensor, ScalarType::Double), ScalarType::Long);
    }
  }

  void step() {
    using Move = void (Walk::*)();
    static const std::pair<const char*, Move> moves[] = {{"select", &Walk::select},
                                                         {"slice", &Walk::slice},
                                                         {"slice", &Walk::slice},
                                                         {"unsqueeze", &Walk::unsqueeze},
                                                         {"squeeze", &Walk::squeeze},
                                                         {"permute", &Walk::permute},
                                                         {"permute", &Walk::permute},
                                                         {"expand", &Walk::expand},
                                                         {"reshape", &Walk::reshape},
                                                         {"flatten", &Walk::flatten},
                                                         {"flip", &Walk::flip},
                                                         {"repeat", &Walk::repeat},
                                                         {"cat", &Walk::cat},
                                                         {"stack", &Walk::stack},
                                                         {"index_select", &Walk::index_select},
                                                         {"diagonal", &Walk::diagonal},
                                                         {"copy", &Walk::copy}};
    const auto& [name, move] = moves[below(std::size(moves))];
    const bool needs_dimensions = move != &Walk::unsqueeze && move != &Walk::squeeze && move != &Walk::expand && move != &Walk::copy;
    if ((needs_dimensions && ndim() == 0) || product(model.sizes) > 2000 || ndim() > 6) return start();
    said += std::string(" ") + name;
    (this->*move)();
  }
};

TEST(Shape, ChainsOfOperatorsGiveWhatTheirDefinitionsGive) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    Walk walk{std::mt19937(seed), {}, {}, {}};
    walk.start();
    for (int i = 0; i < 10; ++i) {
      walk.step();
      const Model got = model_of(walk.tensor);
      ASSERT_EQ(got.sizes, walk.model.sizes) << "seed " << seed << ":" << walk.said;
      ASSERT_EQ(got.values, walk.model.values) << "seed " << seed << ":" << walk.said;
    }
  }
}

TEST(Shape, ViewsShareMemoryWhereNoCopyIsNeeded) {
  const Tensor base = at::arange(24);
  const Tensor cube = at::view(base, DimVector{2, 3, 4});
  EXPECT_EQ(at::reshape(cube, DimVector{6, 4}).data(), base.data());
  EXPECT_EQ(at::flatten(at::slice(cube, 0, 1)).data(), base.data() + 12 * 8);
  EXPECT_NE(at::reshape(at::permute(cube, DimVector{2, 0, 1}), DimVector{24}).data(), base.data());
  // Size-1 dimensions and outer dimensions that stay whole do not stand in the way.
  const Tensor columns = at::slice(cube, 2, 0, 2);
  EXPECT_EQ(list(at::view(columns, DimVector{6, 2, 1}).strides()), (List{4, 1, 1}));
  EXPECT_EQ(list(at::view(at::expand(at::arange(3), DimVector{2, 3}), DimVector{2, 1, 3}).strides()), (List{0, 3, 1}));
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// As torch says it.
TEST(Shape, ErrorsNameTheShapes) {
  const Tensor a = at::view(at::arange(12), DimVector{3, 4});
  const auto expect = [](const std::function<void()>& call, const std::string& message) { EXPECT_EQ(message_of(call), message); };
  expect([&] { at::view(a, DimVector{5}); }, "shape '[5]' is invalid for input of size 12");
  expect([&] { at::view(a, DimVector{-1, -1}); }, "only one dimension can be inferred");
  expect([&] { at::view(a, DimVector{-2}); }, "invalid shape dimension -2");
  expect(
      [&] { at::view(at::t(a), DimVector{12}); },
      "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use "
      ".reshape(...) instead.");
  expect(
      [&] {
        at::view(at::zeros(DimVector{0}), DimVector{0, -1});
      },
      "cannot reshape tensor of 0 elements into shape [0, -1] because the unspecified dimension size -1 can be any value and is ambiguous");
  expect([&] { at::reshape(a, DimVector{5, -1}); }, "shape '[5, -1]' is invalid for input of size 12");
  expect(
      [&] {
        at::view(a, DimVector{std::int64_t{1} << 40, std::int64_t{1} << 40});
      },
      "shape '[1099511627776, 1099511627776]' is invalid for input of size 12");
  expect([&] { at::transpose(a, 0, 2); }, "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
  expect([&] { at::permute(a, DimVector{0, 0}); }, "permute(): duplicate dims are not allowed.");
  expect(
      [&] {
        at::expand(a, DimVector{-1, 3, 4});
      },
      "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension 0");
  expect(
      [&] {
        at::expand(a, DimVector{3, -2});
      },
      "The expanded size of the tensor (-2) must match the existing size (4) at non-singleton dimension 1.  Target sizes: [3, -2].  Tensor "
      "sizes: [3, 4]");
  expect([&] { at::flatten(a, 1, 0); }, "flatten() has invalid args: start_dim cannot come after end_dim");
  expect([&] { at::narrow(a, 0, 2, 2); }, "start (2) + length (2) exceeds dimension size (3).");
  expect([&] { at::unbind(at::select(at::select(a, 0, 0), 0, 0)); }, "Dimension specified as 0 but tensor has no dimensions");
  expect([&] { at::cat({}); }, "torch.cat(): expected a non-empty list of Tensors");
  const Tensor unequal[] = {a, at::t(a)}, ranks[] = {a, at::select(a, 0, 0)}, numbers[] = {at::scalar_tensor(1), at::scalar_tensor(2)};
  expect([&] { at::cat(unequal); },
         "Sizes of tensors must match except in dimension 0. Expected size 4 but got size 3 for tensor number 1 in the list.");
  expect([&] { at::cat(ranks); }, "Tensors must have same number of dimensions: got 2 and 1");
  expect([&] { at::cat(numbers); }, "zero-dimensional tensor (at position 0) cannot be concatenated");
  expect([&] { at::stack(ranks); }, "stack expects each tensor to be equal size, but got [3, 4] at entry 0 and [4] at entry 1");
  expect([&] { at::as_strided(a, DimVector{2}, DimVector{-1}); },
         "as_strided: Negative strides are not supported at the moment, got strides: [-1]");
  EXPECT_NE(message_of([&] { at::as_strided(a, DimVector{20}, DimVector{1}); }).find("are out of bounds for storage of size 96"),
            std::string::npos);
  expect([&] { at::as_strided(a, DimVector{2}, DimVector{1, 1}); }, "mismatch in length of strides and shape");
}

TEST(Shape, CatPromotesAndSkipsEmptyVectors) {
  const Tensor parts[] = {at::ones(DimVector{2}, ScalarType::Int), at::zeros(DimVector{0}, ScalarType::Int),
                          at::ones(DimVector{1}, ScalarType::Float)};
  const Tensor joined = at::cat(parts);
  EXPECT_EQ(joined.dtype(), ScalarType::Float);
  EXPECT_EQ(joined.numel(), 3);
  const Tensor mixed[] = {at::ones(DimVector{2, 2}), at::zeros(DimVector{0})};
  EXPECT_EQ(list(at::cat(mixed, 1).sizes()), (List{2, 2}));
}

TEST(Shape, HugeShapesAreErrorsNotOverflows) {
  constexpr std::int64_t huge = std::int64_t{1} << 40;
  const Tensor one = at::ones(DimVector{1});
  EXPECT_THROW(at::empty(DimVector{huge, huge}), Error);
  EXPECT_THROW(at::empty(DimVector{huge, huge, 0}), Error);
  EXPECT_THROW(at::zeros(DimVector{huge}, ScalarType::Double), Error);
  EXPECT_THROW(at::expand(one, DimVector{huge, huge}), Error);
  EXPECT_THROW(at::repeat(at::ones(DimVector{4}), DimVector{INT64_MAX}), Error);
  EXPECT_THROW(at::as_strided(one, DimVector{2}, DimVector{INT64_MAX}), Error);
  EXPECT_THROW(at::as_strided(one, DimVector{2, 2}, DimVector{INT64_MAX, INT64_MAX}), Error);
  EXPECT_THROW(at::as_strided(one, DimVector{1}, DimVector{1}, INT64_MAX), Error);
  EXPECT_THROW(at::arange(0, INT64_MAX, 1), Error);
  EXPECT_THROW(at::eye(huge, huge), Error);
  // Expanded, it takes no memory: only what would write it out does.
  const Tensor wide = at::expand(one, DimVector{huge});
  EXPECT_EQ(wide.numel(), huge);
  EXPECT_THROW(at::contiguous(wide), Error);
  EXPECT_EQ(at::slice(wide, 0, huge - 2, INT64_MAX, INT64_MAX).numel(), 1);
  EXPECT_EQ(at::slice(wide, 0, INT64_MIN, INT64_MIN).numel(), 0);
}

}  // namespace
}  // namespace tensorlib
