// One step of an optimiser on one parameter: each element is read and written once.
//
// The arithmetic is that of PyTorch's single-tensor optimisers at AVX2: products that are added are fused, everything else is rounded. All
// numbers are rounded to the parameter's type where they meet it.
#pragma once

#include <optional>

#include "core/Tensor.h"
#include "native/DispatchStub.h"

namespace tensorlib::native {

struct AdamStep {
  double lr, beta1, beta2, weight_decay, eps;
  double bias_correction1, bias_correction2;
  bool decoupled;  ///< AdamW
  bool maximize;
};

struct SGDStep {
  double lr, momentum, dampening, weight_decay;
  bool nesterov, maximize, is_first_step;
};

/// Rows of n elements of the same type and layout.
/// `max_exp_avg_sq` is null without amsgrad.
using fused_adam_fn = void (*)(ScalarType, void* param, const void* grad, void* exp_avg, void* exp_avg_sq, void* max_exp_avg_sq,
                               std::int64_t n, const AdamStep&);
/// `momentum_buffer` is null without momentum.
using fused_sgd_fn = void (*)(ScalarType, void* param, const void* grad, void* momentum_buffer, std::int64_t n, const SGDStep&);

DECLARE_DISPATCH(fused_adam_fn, fused_adam_stub);
DECLARE_DISPATCH(fused_sgd_fn, fused_sgd_stub);

/// self: the parameter. `step` counts from 1.
Tensor& _fused_adam_(Tensor& self, const Tensor& grad, Tensor& exp_avg, Tensor& exp_avg_sq, std::int64_t step,
                     const std::optional<Tensor>& max_exp_avg_sq, double lr, double beta1, double beta2, double weight_decay, double eps,
                     bool maximize);
Tensor& _fused_adamw_(Tensor& self, const Tensor& grad, Tensor& exp_avg, Tensor& exp_avg_sq, std::int64_t step,
                      const std::optional<Tensor>& max_exp_avg_sq, double lr, double beta1, double beta2, double weight_decay, double eps,
                      bool maximize);
Tensor& _fused_sgd_(Tensor& self, const Tensor& grad, const std::optional<Tensor>& momentum_buffer, double weight_decay, double momentum,
                    double lr, double dampening, bool nesterov, bool maximize, bool is_first_step);

}  // namespace tensorlib::native
