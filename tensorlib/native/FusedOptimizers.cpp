#include "native/FusedOptimizers.h"

#include <algorithm>
#include <cmath>

#include "core/Exception.h"
#include "native/TensorConversions.h"

namespace tensorlib::native {

DEFINE_DISPATCH(fused_adam_stub);
DEFINE_DISPATCH(fused_sgd_stub);

namespace {

void check_same(const char* op, const Tensor& param, const Tensor& other, const char* what) {
  const std::string who = std::string(op) + ": " + what;
  if (other.dtype() != param.dtype()) raise(who + " is " + pythonName(other.dtype()) + ", the parameter " + pythonName(param.dtype()));
  if (!std::ranges::equal(other.sizes(), param.sizes())) {
    raise(who + " has the sizes " + tensorlib::toString(other.sizes()) + ", the parameter " + tensorlib::toString(param.sizes()));
  }
}

void check_param(const char* op, const Tensor& param) {
  if (!isFloatingType(param.dtype())) raise(std::string(op) + ": parameters are floating-point, but got " + pythonName(param.dtype()));
}

/// A tensor whose elements lie as those of `like` do: itself, or a copy, which is written back at the end if it is to be written to.
class SameLayout {
 public:
  SameLayout(const Tensor& tensor, const Tensor& like) : original_(tensor), laid_out_(tensor) {
    if (std::ranges::equal(tensor.strides(), like.strides())) return;
    laid_out_ = empty_strided(like.sizes(), like.strides(), like.dtype());
    copy_(laid_out_, tensor);
  }
  char* data() const { return laid_out_.data(); }
  void write_back() const {
    if (!laid_out_.is_same(original_)) copy_(original_, laid_out_);
  }

 private:
  Tensor original_;
  Tensor laid_out_;
};

/// The parameter itself if its elements fill a block of memory, else a row-major stand-in.
Tensor dense_like(const Tensor& param) {
  return param.impl()->is_non_overlapping_and_dense() ? param : empty(param.sizes(), param.dtype());
}

Tensor& adam_(const char* op, Tensor& self, const Tensor& grad, Tensor& exp_avg, Tensor& exp_avg_sq, std::int64_t step,
              const std::optional<Tensor>& max_exp_avg_sq, AdamStep s) {
  check_param(op, self);
  check_same(op, self, grad, "the gradient");
  check_same(op, self, exp_avg, "exp_avg");
  check_same(op, self, exp_avg_sq, "exp_avg_sq");
  const bool amsgrad = max_exp_avg_sq && max_exp_avg_sq->defined();
  if (amsgrad) check_same(op, self, *max_exp_avg_sq, "max_exp_avg_sq");
  if (step < 1) raise(std::string(op) + ": steps count from 1, but got " + std::to_string(step));
  s.bias_correction1 = 1 - std::pow(s.beta1, static_cast<double>(step));
  s.bias_correction2 = 1 - std::pow(s.beta2, static_cast<double>(step));
  const Tensor like = dense_like(self);
  const SameLayout p(self, like), g(grad, like), m(exp_avg, like), v(exp_avg_sq, like), most(amsgrad ? *max_exp_avg_sq : like, like);
  fused_adam_stub(self.dtype(), p.data(), g.data(), m.data(), v.data(), amsgrad ? most.data() : nullptr, self.numel(), s);
  if (amsgrad) most.write_back();
  for (const SameLayout* written : {&p, &m, &v}) written->write_back();
  return self;
}

}  // namespace

Tensor& _fused_adam_(Tensor& self, const Tensor& grad, Tensor& exp_avg, Tensor& exp_avg_sq, std::int64_t step,
                     const std::optional<Tensor>& max_exp_avg_sq, double lr, double beta1, double beta2, double weight_decay, double eps,
                     bool maximize) {
  return adam_("_fused_adam_", self, grad, exp_avg, exp_avg_sq, step, max_exp_avg_sq,
               {lr, beta1, beta2, weight_decay, eps, 0, 0, false, maximize});
}

Tensor& _fused_adamw_(Tensor& self, const Tensor& grad, Tensor& exp_avg, Tensor& exp_avg_sq, std::int64_t step,
                      const std::optional<Tensor>& max_exp_avg_sq, double lr, double beta1, double beta2, double weight_decay, double eps,
                      bool maximize) {
  return adam_("_fused_adamw_", self, grad, exp_avg, exp_avg_sq, step, max_exp_avg_sq,
               {lr, beta1, beta2, weight_decay, eps, 0, 0, true, maximize});
}

Tensor& _fused_sgd_(Tensor& self, const Tensor& grad, const std::optional<Tensor>& momentum_buffer, double weight_decay, double momentum,
                    double lr, double dampening, bool nesterov, bool maximize, bool is_first_step) {
  const char* op = "_fused_sgd_";
  check_param(op, self);
  check_same(op, self, grad, "the gradient");
  const bool gathers = momentum_buffer && momentum_buffer->defined();
  if (gathers) check_same(op, self, *momentum_buffer, "momentum_buffer");
  const Tensor like = dense_like(self);
  const SameLayout p(self, like), g(grad, like), b(gathers ? *momentum_buffer : like, like);
  fused_sgd_stub(self.dtype(), p.data(), g.data(), gathers ? b.data() : nullptr, self.numel(),
                 {lr, momentum, dampening, weight_decay, nesterov, maximize, is_first_step});
  p.write_back();
  if (gathers) b.write_back();
  return self;
}

}  // namespace tensorlib::native
