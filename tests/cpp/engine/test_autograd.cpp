// The graph of gradients by itself: order, versions, what is kept and what is let go.
#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "autograd/engine.h"
#include "autograd/grad_mode.h"
#include "autograd/saved_variable.h"
#include "autograd/variable.h"
#include "core/Exception.h"
#include "ops/Functions.h"

namespace tensorlib::autograd {
namespace {

Tensor leaf(double value, std::int64_t size = 2) {
  Tensor tensor = at::full(DimVector{size}, Scalar(value), ScalarType::Double);
  impl::set_requires_grad(tensor, true);
  return tensor;
}

double first(const Tensor& tensor) { return *tensor.data_ptr<double>(); }

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Passes gradients on and notes that it ran.
struct Noting : Node {
  Noting(std::vector<int>& order, int number) : order_(order), number_(number) {}
  std::string name() const override { return "Noting"; }

 protected:
  variable_list apply(variable_list&& grads) override {
    order_.push_back(number_);
    return variable_list(num_outputs(), grads[0]);
  }

 private:
  std::vector<int>& order_;
  int number_;
};

std::shared_ptr<Noting> noting(std::vector<int>& order, int number, const Tensor& shape, edge_list edges) {
  auto node = std::make_shared<Noting>(order, number);
  node->add_input_metadata(shape);
  node->set_next_edges(std::move(edges));
  return node;
}

TEST(Engine, RunsLaterNodesFirstAndEachOnceAllItsGradientsAreThere) {
  std::vector<int> order;
  const Tensor x = leaf(1);
  const Edge end = impl::gradient_edge(x);
  const auto a = noting(order, 1, x, {end}), b = noting(order, 2, x, {{a, 0}}), c = noting(order, 3, x, {{a, 0}, {b, 0}});
  Engine::get_default_engine().execute({{c, 0}}, {at::ones_like(x)}, false, false, true);
  EXPECT_EQ(order, (std::vector<int>{3, 2, 1}));
  EXPECT_EQ(first(impl::grad(x)), 2.0);
}

TEST(Engine, LeavesOutWhatNobodyAskedFor) {
  std::vector<int> order;
  const Tensor x = leaf(1), y = leaf(1);
  const auto to_x = noting(order, 1, x, {impl::gradient_edge(x)}), to_y = noting(order, 2, x, {impl::gradient_edge(y)});
  const auto root = noting(order, 3, x, {{to_x, 0}, {to_y, 0}});
  const auto grads = Engine::get_default_engine().execute({{root, 0}}, {at::ones_like(x)}, false, false, false, {impl::gradient_edge(x)});
  EXPECT_EQ(order, (std::vector<int>{3, 1}));
  EXPECT_EQ(first(grads[0]), 1.0);
  EXPECT_FALSE(impl::grad(x).defined());
}

TEST(Engine, NamesTheNodeWhoseGradientDoesNotFit) {
  std::vector<int> order;
  const Tensor x = leaf(1, 3);
  const auto node = noting(order, 1, leaf(1, 2), {impl::gradient_edge(x)});
  const auto run = [&] { Engine::get_default_engine().execute({{node, 0}}, {at::ones_like(leaf(1, 2))}, false, false, true); };
  EXPECT_EQ(error_of(run), "Function Noting returned an invalid gradient at index 0 - got [2] but expected shape compatible with [3]");
}

TEST(Engine, SumsABroadcastGradientAndConvertsItsType) {
  Tensor x = at::full(DimVector{1}, Scalar(2), ScalarType::Float);
  impl::set_requires_grad(x, true);
  backward({at::sum(at::mul(x, leaf(3, 5)))});
  EXPECT_EQ(impl::grad(x).dtype(), ScalarType::Float);
  EXPECT_EQ(*impl::grad(x).data_ptr<float>(), 15.0f);
}

TEST(Engine, ABackwardWithinABackwardRunsToItsEnd) {
  const Tensor outer = leaf(3), inner = leaf(2);
  struct Inside : FunctionPreHook {
    explicit Inside(Tensor tensor) : tensor(std::move(tensor)) {}
    variable_list operator()(const variable_list& grads) override {
      const AutoGradMode on(true);
      backward({at::sum(at::mul(tensor, tensor))});
      return grads;
    }
    Tensor tensor;
  };
  const Tensor y = at::mul(outer, outer);
  impl::add_hook(y, std::make_unique<Inside>(inner));
  backward({at::sum(y)});
  EXPECT_EQ(first(impl::grad(inner)), 4.0);
  EXPECT_EQ(first(impl::grad(outer)), 6.0);
}

TEST(Engine, CallbacksNeedABackward) {
  const auto queue = [] { Engine::get_default_engine().queue_callback([] {}); };
  EXPECT_EQ(error_of(queue), "Final callbacks can only be installed during backward pass.");
}

TEST(Node, AGraphOfAnyLengthIsFreedWithoutADeepStack) {
  std::vector<int> order;
  const Tensor x = leaf(1);
  auto node = noting(order, 0, x, {});
  const std::weak_ptr<Node> end = node;
  for (int i = 0; i < 1'000'000; ++i) node = noting(order, i, x, {{node, 0}});
  node = nullptr;
  EXPECT_TRUE(end.expired());
}

TEST(AccumulateGrad, TakesAGradientThatNobodyElseHoldsAndAddsTheNext) {
  const Tensor x = leaf(1);
  Tensor gradient = at::full(DimVector{2}, Scalar(5), ScalarType::Double);
  const char* memory = gradient.data();
  const std::shared_ptr<Node> node = impl::grad_accumulator(x);
  variable_list only;
  only.push_back(std::move(gradient));
  const NoGradGuard no_grad;
  (*node)(std::move(only));
  EXPECT_EQ(impl::grad(x).data(), memory);
  EXPECT_EQ(first(impl::grad(x)), 5.0);
  const Tensor held = at::full(DimVector{2}, Scalar(2), ScalarType::Double);
  (*node)(variable_list{held});
  EXPECT_EQ(first(impl::grad(x)), 7.0);
  EXPECT_EQ(first(held), 2.0);
}

TEST(AccumulateGrad, IsOneForALeafWhileAGraphKeepsIt) {
  const Tensor x = leaf(1);
  const auto node = impl::grad_accumulator(x);
  EXPECT_EQ(node, impl::grad_accumulator(x));
  EXPECT_EQ(impl::gradient_edge(at::mul(x, x)).function->next_edge(0).function, node);
}

TEST(Version, IsSharedByViewsAndDetachedTensorsAndCountsWrites) {
  Tensor x = at::zeros(DimVector{4}, ScalarType::Double);
  Tensor view = at::select(x, 0, 1), detached = at::detach(x), copy = at::clone(x);
  at::fill_(view, Scalar(3));
  at::add_(detached, at::ones_like(detached));
  EXPECT_EQ(x.impl()->current_version(), 2u);
  EXPECT_EQ(view.impl()->current_version(), 2u);
  EXPECT_EQ(copy.impl()->current_version(), 0u);
}

TEST(SavedVariable, RefusesWhatWasWrittenToSince) {
  Tensor x = at::zeros(DimVector{2}, ScalarType::Double);
  const SavedVariable saved(x, false);
  EXPECT_TRUE(saved.unpack().is_same(x));
  at::fill_(x, Scalar(1));
  EXPECT_EQ(
      error_of([&] { saved.unpack(); }),
      "one of the variables needed for gradient computation has been modified by an inplace operation: [tensorlib.DoubleTensor [2]] is at "
      "version 1; expected version 0 instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, "
      "with tensorlib.autograd.set_detect_anomaly(True).");
}

TEST(SavedVariable, DoesNotKeepTheNodeThatItIsAResultOf) {
  std::weak_ptr<Node> node;
  {
    const Tensor y = at::exp(leaf(1));  // exp saves its result
    node = impl::grad_fn(y);
    EXPECT_FALSE(node.expired());
  }
  EXPECT_TRUE(node.expired());
}

TEST(Views, AnInPlaceOperationOnAViewIsInTheGradientOfItsBase) {
  const Tensor x = leaf(3, 3);
  const Tensor y = at::mul(x, at::ones_like(x));
  Tensor view = at::slice(y, 0, 1, 2, 1);
  const Tensor other = at::select(y, 0, 1);
  at::mul_(view, at::full(DimVector{1}, Scalar(10), ScalarType::Double));
  EXPECT_EQ(impl::grad_fn(y)->name(), "CopySlices");
  EXPECT_EQ(impl::grad_fn(other)->name(), "AsStridedBackward0");
  backward({at::add(at::sum(y), other)});
  const double* grad = impl::grad(x).data_ptr<double>();
  EXPECT_EQ(std::vector<double>(grad, grad + 3), (std::vector<double>{1, 20, 1}));
}

TEST(Grad, OfAGradientComesFromTheSameOperators) {
  const Tensor x = leaf(2);
  const Tensor once = grad({at::sum(at::pow(x, Scalar(3)))}, {x}, {}, std::nullopt, true)[0];
  const Tensor twice = grad({at::sum(once)}, {x}, {}, std::nullopt, true)[0];
  EXPECT_EQ(first(once), 12.0);
  EXPECT_EQ(first(twice), 12.0);
  EXPECT_EQ(first(grad({at::sum(twice)}, {x})[0]), 6.0);
}

}  // namespace
}  // namespace tensorlib::autograd
