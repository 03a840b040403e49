// What autograd does around each operator: look whether gradients are wanted, then go on below autograd.
#include "autograd/VariableTypeUtils.h"
#include "core/Export.h"
#include "ops/Operators.h"
#include "ops/Registration.h"

namespace tensorlib::autograd::VariableType {
namespace {

TENSORLIB_NOINLINE Tensor pow_Tensor_Scalar(DispatchKeySet ks, const Tensor& self, const Scalar& exponent) {
  const bool any_requires_grad = compute_requires_grad(self);
  Tensor result;
  {
    const AutoDispatchBelowADInplaceOrView guard;
    result = _ops::pow_Tensor_Scalar::redispatch(ks & after_autograd_keyset, self, exponent);
  }
  if (any_requires_grad) set_history(result);
  return result;
}

TENSORLIB_NOINLINE Tensor pow_Tensor_Tensor(DispatchKeySet ks, const Tensor& self, const Tensor& exponent) {
  const bool any_requires_grad = compute_requires_grad(self, exponent);
  Tensor result;
  {
    const AutoDispatchBelowADInplaceOrView guard;
    result = _ops::pow_Tensor_Tensor::redispatch(ks & after_autograd_keyset, self, exponent);
  }
  if (any_requires_grad) set_history(result);
  return result;
}

TENSORLIB_NOINLINE Tensor pow_Scalar(DispatchKeySet ks, const Scalar& self, const Tensor& exponent) {
  const bool any_requires_grad = compute_requires_grad(exponent);
  Tensor result;
  {
    const AutoDispatchBelowADInplaceOrView guard;
    result = _ops::pow_Scalar::redispatch(ks & after_autograd_keyset, self, exponent);
  }
  if (any_requires_grad) set_history(result);
  return result;
}

TENSORLIB_NOINLINE Tensor add_Tensor(DispatchKeySet ks, const Tensor& self, const Tensor& other, const Scalar& alpha) {
  const bool any_requires_grad = compute_requires_grad(self, other);
  Tensor result;
  {
    const AutoDispatchBelowADInplaceOrView guard;
    result = _ops::add_Tensor::redispatch(ks & after_autograd_keyset, self, other, alpha);
  }
  if (any_requires_grad) set_history(result);
  return result;
}

TENSORLIB_NOINLINE Tensor sub_Tensor(DispatchKeySet ks, const Tensor& self, const Tensor& other, const Scalar& alpha) {
  const bool any_requires_grad = compute_requires_grad(self, other);
  Tensor result;
  {
    const AutoDispatchBelowADInplaceOrView guard;
    result = _ops::sub_Tensor::redispatch(ks & after_autograd_keyset, self, other, alpha);
  }
  if (any_requires_grad) set_history(result);
  return result;
}

TENSORLIB_NOINLINE Tensor mul_Tensor(DispatchKeySet ks, const Tensor& self, const Tensor& other) {
  const bool any_requires_grad = compute_requires_grad(self, other);
  Tensor result;
  {
    const AutoDispatchBelowADInplaceOrView guard;
    result = _ops::mul_Tensor::redispatch(ks & after_autograd_keyset, self, other);
  }
  if (any_requires_grad) set_history(result);
  return result;
}

template <typename Op, auto kernel>
Registration row() {
  return {Op::name, KernelFunction::makeFromUnboxedFunction<kernel, typename Op::schema>()};
}

}  // namespace
}  // namespace tensorlib::autograd::VariableType

namespace tensorlib {

void registerVariableType(Dispatcher& dispatcher) {
  using namespace autograd;
  const Registration table[] = {
      VariableType::row<_ops::pow_Tensor_Scalar, &VariableType::pow_Tensor_Scalar>(),
      VariableType::row<_ops::pow_Tensor_Tensor, &VariableType::pow_Tensor_Tensor>(),
      VariableType::row<_ops::pow_Scalar, &VariableType::pow_Scalar>(),
      VariableType::row<_ops::add_Tensor, &VariableType::add_Tensor>(),
      VariableType::row<_ops::sub_Tensor, &VariableType::sub_Tensor>(),
      VariableType::row<_ops::mul_Tensor, &VariableType::mul_Tensor>(),
  };
  dispatcher.registerImpls(DispatchKey::AutogradCPU, table);
}

}  // namespace tensorlib
