// How a call finds its kernel.
#include <gtest/gtest.h>

#include <string>

#include "core/Exception.h"
#include "core/Tensor.h"
#include "dispatch/Dispatcher.h"
#include "native/TensorFactories.h"
#include "ops/Operators.h"
#include "ops/Registration.h"

namespace tensorlib {
namespace {

DispatchKeySet seen_keys;
int plain(int x) { return x + 1; }
int with_keys(DispatchKeySet keys, int x) {
  seen_keys = keys;
  return x * 10;
}

constexpr const char* op_name = "test::op";
using Signature = int(int);

Dispatcher make_dispatcher() {
  Dispatcher dispatcher;
  dispatcher.registerDef("test::op(int x) -> int");
  dispatcher.registerFallback(DispatchKey::ADInplaceOrView, KernelFunction::makeFallthrough());
  const Registration cpu[] = {{op_name, KernelFunction::makeFromUnboxedFunction<&plain, Signature>()}};
  const Registration autograd[] = {{op_name, KernelFunction::makeFromUnboxedFunction<&with_keys, Signature>()}};
  dispatcher.registerImpls(DispatchKey::CPU, cpu);
  dispatcher.registerImpls(DispatchKey::AutogradCPU, autograd);
  return dispatcher;
}

int call(const Dispatcher& dispatcher, DispatchKeySet keys, int x) {
  const TypedOperatorHandle<Signature> handle(dispatcher.findSchemaOrThrow(op_name));
  const auto kernel = handle.lookup(keys);
  return kernel.call(kernel.functor, keys, x);
}

TEST(Dispatcher, RunsTheKernelOfTheHighestKey) {
  const Dispatcher dispatcher = make_dispatcher();
  const DispatchKeySet both{DispatchKey::CPU, DispatchKey::AutogradCPU};
  EXPECT_EQ(call(dispatcher, both, 4), 40);
  EXPECT_EQ(seen_keys, both);
  EXPECT_EQ(call(dispatcher, both & after_autograd_keyset, 4), 5);
}

TEST(Dispatcher, FallthroughsAreNotAmongTheKeysOfAnOperator) {
  const Dispatcher dispatcher = make_dispatcher();
  const DispatchKeySet keys = dispatcher.findSchemaOrThrow(op_name).nonFallthroughKeys();
  EXPECT_FALSE(keys.has(DispatchKey::ADInplaceOrView));
  EXPECT_TRUE(keys.has(DispatchKey::CPU));
}

TEST(Dispatcher, AnOperatorsOwnKernelGoesBeforeTheFallback) {
  Dispatcher dispatcher = make_dispatcher();
  dispatcher.registerFallback(DispatchKey::AutogradCPU, KernelFunction::makeFallthrough());
  EXPECT_EQ(call(dispatcher, {DispatchKey::CPU, DispatchKey::AutogradCPU}, 1), 10);
  const OperatorEntry& other = dispatcher.registerDef("test::other() -> int");
  EXPECT_FALSE(other.nonFallthroughKeys().has(DispatchKey::AutogradCPU));
}

TEST(Dispatcher, AMissingKernelIsNamed) {
  const Dispatcher dispatcher = make_dispatcher();
  try {
    call(dispatcher, DispatchKeySet(DispatchKey::Tracer), 1);
    FAIL();
  } catch (const NotImplementedError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("test::op"), what.npos) << what;
    EXPECT_NE(what.find("Tracer"), what.npos) << what;
  }
}

TEST(Dispatcher, NamesMustBeKnownAndNew) {
  Dispatcher dispatcher = make_dispatcher();
  EXPECT_THROW(dispatcher.findSchemaOrThrow("test::none"), Error);
  EXPECT_THROW(dispatcher.registerDef("test::op(float x) -> int"), Error);
  const Registration twice[] = {{op_name, KernelFunction::makeFromUnboxedFunction<&plain, Signature>()}};
  EXPECT_THROW(dispatcher.registerImpls(DispatchKey::CPU, twice), Error);
}

TEST(DispatchKeySet, TheHighestKeyIsTheOneThatDecides) {
  EXPECT_EQ(DispatchKeySet().highestPriorityKey(), DispatchKey::Undefined);
  EXPECT_EQ(DispatchKeySet(DispatchKey::CPU).highestPriorityKey(), DispatchKey::CPU);
  EXPECT_EQ(cpu_tensor_keyset.highestPriorityKey(), DispatchKey::AutocastCPU);
  EXPECT_EQ(toString(cpu_tensor_keyset), "DispatchKeySet(CPU, ADInplaceOrView, AutogradCPU, AutocastCPU)");
  EXPECT_EQ(after_autograd_keyset, (DispatchKeySet{DispatchKey::CPU, DispatchKey::BackendSelect, DispatchKey::ADInplaceOrView}));
}

TEST(TheOperators, EveryOneReachesACpuKernel) {
  for (const OperatorEntry& op : dispatcher().operators()) {
    EXPECT_TRUE(op.kernelForDispatchKey(DispatchKey::CPU).unboxed_kernel_func) << op.name();
    EXPECT_TRUE(op.kernelForDispatchKey(DispatchKey::AutocastCPU).fallthrough) << op.name();
  }
}

int composite(int x) { return x + 100; }

TEST(Aliases, ACompositeImplicitKernelStandsForAutogradUnlessTheBackendHasItsOwn) {
  const Registration row[] = {{op_name, KernelFunction::makeFromUnboxedFunction<&composite, Signature>()}};
  const Registration cpu[] = {{op_name, KernelFunction::makeFromUnboxedFunction<&plain, Signature>()}};
  Dispatcher dispatcher;
  dispatcher.registerDef("test::op(int x) -> int");
  dispatcher.registerFallback(DispatchKey::AutogradCPU, KernelFunction::makeFallthrough());
  dispatcher.registerImpls(DispatchKey::CompositeImplicitAutograd, row);
  const auto& op = dispatcher.findSchemaOrThrow(op_name);
  EXPECT_EQ(call(dispatcher, DispatchKeySet(DispatchKey::AutogradCPU), 1), 101);
  EXPECT_EQ(call(dispatcher, DispatchKeySet(DispatchKey::CPU), 1), 101);
  EXPECT_EQ(call(dispatcher, DispatchKeySet(), 1), 101);
  dispatcher.registerImpls(DispatchKey::CPU, cpu);
  EXPECT_EQ(call(dispatcher, DispatchKeySet(DispatchKey::CPU), 1), 2);
  EXPECT_TRUE(op.kernelForDispatchKey(DispatchKey::AutogradCPU).fallthrough);
  EXPECT_EQ(call(dispatcher, DispatchKeySet(), 1), 101);
}

TEST(Aliases, ACompositeExplicitKernelStandsForBackendsOnly) {
  const Registration row[] = {{op_name, KernelFunction::makeFromUnboxedFunction<&composite, Signature>()}};
  Dispatcher dispatcher;
  dispatcher.registerDef("test::op(int x) -> int");
  dispatcher.registerFallback(DispatchKey::AutogradCPU, KernelFunction::makeFallthrough());
  dispatcher.registerImpls(DispatchKey::CompositeExplicitAutograd, row);
  EXPECT_EQ(call(dispatcher, DispatchKeySet(DispatchKey::CPU), 1), 101);
  EXPECT_TRUE(dispatcher.findSchemaOrThrow(op_name).kernelForDispatchKey(DispatchKey::AutogradCPU).fallthrough);
}

DispatchKeySet keys_of_call(const Tensor& tensor) {
  return computeDispatchKeySet(tensor.key_set(), dispatcher().findSchemaOrThrow(_ops::pow_Tensor_Scalar::name).nonFallthroughKeys());
}

TEST(KeysOfACall, AreCpuAndAutogradForAPlainTensor) {
  EXPECT_EQ(keys_of_call(empty({}, ScalarType::Float)), (DispatchKeySet{DispatchKey::CPU, DispatchKey::AutogradCPU}));
}

TEST(KeysOfACall, BelowAutogradOnlyCpuIsLeft) {
  const Tensor tensor = empty({}, ScalarType::Float);
  {
    const AutoDispatchBelowADInplaceOrView guard;
    EXPECT_EQ(keys_of_call(tensor), DispatchKeySet(DispatchKey::CPU));
  }
  EXPECT_TRUE(keys_of_call(tensor).has(DispatchKey::AutogradCPU));
}

TEST(KeysOfACall, InferenceModeLeavesAutogradOut) {
  const Tensor normal = empty({}, ScalarType::Float);
  InferenceMode::set_enabled(true);
  const Tensor inference = empty({}, ScalarType::Float);
  EXPECT_EQ(keys_of_call(normal), DispatchKeySet(DispatchKey::CPU));
  InferenceMode::set_enabled(false);
  EXPECT_EQ(keys_of_call(inference), DispatchKeySet(DispatchKey::CPU));
  EXPECT_EQ(inference.key_set(), inference_tensor_keyset);
  EXPECT_TRUE(keys_of_call(normal).has(DispatchKey::AutogradCPU));
}

TEST(OperatorCall, IsNestedAndEndsWithTheCallAlsoByAnError) {
  EXPECT_EQ(OperatorCall::innermost(), nullptr);
  const Tensor two = native::full(DimVector{2}, 1.0, ScalarType::Float), three = native::full(DimVector{3}, 1.0, ScalarType::Float);
  EXPECT_THROW(_ops::add_Tensor::call(two, three, 1), Error);
  EXPECT_EQ(OperatorCall::innermost(), nullptr);
  EXPECT_EQ(tls_local_dispatch_key_set().excluded_, LocalDispatchKeySet().excluded_);
}

TEST(Autograd, MarksResultsOfTensorsThatWantGradients) {
  Tensor x = native::full(DimVector{2}, 2.0, ScalarType::Float);
  EXPECT_FALSE(_ops::pow_Tensor_Scalar::call(x, 3).requires_grad());
  x.impl()->set_requires_grad(true);
  EXPECT_TRUE(_ops::pow_Tensor_Scalar::call(x, 3).requires_grad());
  EXPECT_FALSE(_ops::pow_Tensor_Scalar::call(x, 3).impl()->is_leaf());
  GradMode::set_enabled(false);
  EXPECT_FALSE(_ops::pow_Tensor_Scalar::call(x, 3).requires_grad());
  GradMode::set_enabled(true);
}

}  // namespace
}  // namespace tensorlib
