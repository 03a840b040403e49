// The CPU kernels of the operators: each wraps a structured operator that makes its own output.
#include "core/Export.h"
#include "native/BinaryOps.h"
#include "native/Pow.h"
#include "native/TensorFactories.h"
#include "ops/Operators.h"
#include "ops/Registration.h"

namespace tensorlib {
namespace {

/// A structured operator whose output is fresh memory.
template <typename Structured>
struct structured_functional final : Structured {
  void set_output_raw_strided(int output, IntArrayRef sizes, IntArrayRef strides, ScalarType dtype) override {
    outputs_[output] = empty_strided(sizes, strides, dtype);
  }
  const Tensor& maybe_get_output(int output) override { return outputs_[output]; }

  Tensor outputs_[1];
};

TENSORLIB_NOINLINE Tensor wrapper_CPU_pow_Tensor_Scalar(const Tensor& self, const Scalar& exponent) {
  structured_functional<native::structured_pow_Tensor_Scalar_out> op;
  op.meta(self, exponent);
  op.impl(self, exponent, op.outputs_[0]);
  return op.outputs_[0];
}

TENSORLIB_NOINLINE Tensor wrapper_CPU_pow_Tensor_Tensor(const Tensor& self, const Tensor& exponent) {
  structured_functional<native::structured_pow_Tensor_Tensor_out> op;
  op.meta(self, exponent);
  op.impl(self, exponent, op.outputs_[0]);
  return op.outputs_[0];
}

TENSORLIB_NOINLINE Tensor wrapper_CPU_pow_Scalar(const Scalar& self, const Tensor& exponent) {
  structured_functional<native::structured_pow_Scalar_out> op;
  op.meta(self, exponent);
  op.impl(self, exponent, op.outputs_[0]);
  return op.outputs_[0];
}

TENSORLIB_NOINLINE Tensor wrapper_CPU_add_Tensor(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  structured_functional<native::structured_add_out> op;
  op.meta(self, other, alpha);
  op.impl(self, other, alpha, op.outputs_[0]);
  return op.outputs_[0];
}

TENSORLIB_NOINLINE Tensor wrapper_CPU_sub_Tensor(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  structured_functional<native::structured_sub_out> op;
  op.meta(self, other, alpha);
  op.impl(self, other, alpha, op.outputs_[0]);
  return op.outputs_[0];
}

TENSORLIB_NOINLINE Tensor wrapper_CPU_mul_Tensor(const Tensor& self, const Tensor& other) {
  structured_functional<native::structured_mul_out> op;
  op.meta(self, other);
  op.impl(self, other, op.outputs_[0]);
  return op.outputs_[0];
}

TENSORLIB_NOINLINE Tensor wrapper_CPU_randn(IntArrayRef size, ScalarType dtype) { return native::randn(size, dtype); }

template <typename Op, auto kernel>
Registration row() {
  return {Op::name, KernelFunction::makeFromUnboxedFunction<kernel, typename Op::schema>()};
}

}  // namespace

void registerCPU(Dispatcher& dispatcher) {
  const Registration table[] = {
      row<_ops::pow_Tensor_Scalar, &wrapper_CPU_pow_Tensor_Scalar>(),
      row<_ops::pow_Tensor_Tensor, &wrapper_CPU_pow_Tensor_Tensor>(),
      row<_ops::pow_Scalar, &wrapper_CPU_pow_Scalar>(),
      row<_ops::add_Tensor, &wrapper_CPU_add_Tensor>(),
      row<_ops::sub_Tensor, &wrapper_CPU_sub_Tensor>(),
      row<_ops::mul_Tensor, &wrapper_CPU_mul_Tensor>(),
      row<_ops::randn, &wrapper_CPU_randn>(),
  };
  dispatcher.registerImpls(DispatchKey::CPU, table);
}

}  // namespace tensorlib
