// Formulas of elementwise operators.
#include "autograd/FunctionsManual.h"

#include <cmath>

#include "autograd/operators.h"

namespace tensorlib::autograd::generated::details {

using namespace at;

Tensor maybe_multiply(const Tensor& t, const Scalar& s) { return s.toDouble() == 1.0 ? t : t * s; }

Tensor mul_tensor_backward(const Tensor& grad, const Tensor& other, ScalarType) { return grad * other; }

Tensor div_tensor_self_backward(const Tensor& grad, const Tensor& other, ScalarType) { return grad / other; }

Tensor div_tensor_other_backward(const Tensor& grad, const Tensor& self, const Tensor& other) { return -grad * ((self / other) / other); }

Tensor div_tensor_self_backward(const Tensor& grad, const Tensor& other, ScalarType self_st,
                                const std::optional<std::string>& rounding_mode) {
  return rounding_mode ? zeros_like(grad) : div_tensor_self_backward(grad, other, self_st);
}

Tensor div_tensor_other_backward(const Tensor& grad, const Tensor& self, const Tensor& other,
                                 const std::optional<std::string>& rounding_mode) {
  return rounding_mode ? zeros_like(grad) : div_tensor_other_backward(grad, self, other);
}

Tensor extreme_backward(const Tensor& grad, const Tensor& equal, const Tensor& loses) {
  return masked_fill(where(equal, grad / 2, grad), loses, 0);
}

Tensor pow_backward(const Tensor& grad, const Tensor& self, const Scalar& exponent) {
  if (exponent.toDouble() == 0.0) return zeros_like(self);
  const Scalar less = exponent.isFloatingPoint() ? Scalar(exponent.toDouble() - 1) : Scalar(exponent.toLong() - 1);
  return grad * (pow(self, less) * exponent);
}

// Where the exponent is 0 the result is 1 whatever the base, also at 0, where exponent * base**(exponent - 1) would be nan.
Tensor pow_backward_self(const Tensor& grad, const Tensor& self, const Tensor& exponent) {
  const Tensor slope = grad * (exponent * pow(self, exponent - 1));
  return where(exponent == 0, zeros_like(slope), slope);
}

// Where the base is 0 the result is 0 for every exponent around a positive one (and at 0 from one side): log(0) would make it nan.
Tensor pow_backward_exponent(const Tensor& grad, const Tensor& self, const Tensor& exponent, const Tensor& result) {
  const Tensor flat = logical_and(self == 0, exponent >= 0);
  const Tensor slope = result * log(self);
  return grad * where(flat, zeros_like(slope), slope);
}

Tensor pow_backward_exponent(const Tensor& grad, const Scalar& base, const Tensor& exponent, const Tensor& result) {
  const Tensor slope = result * Scalar(std::log(base.toDouble()));
  if (base.toDouble() != 0.0) return grad * slope;
  return grad * where(exponent >= 0, zeros_like(slope), slope);
}

// At the bounds themselves the gradient passes.
Tensor clamp_backward(const Tensor& grad, const Tensor& self, const std::optional<Scalar>& min, const std::optional<Scalar>& max) {
  if (!min && !max) return grad;
  Tensor inside;
  if (min) inside = self >= *min;
  if (max) inside = inside.defined() ? logical_and(inside, self <= *max) : self <= *max;
  return where(inside, grad, zeros_like(grad));
}

Tensor masked_fill_backward(const Tensor& grad, const Tensor& mask) { return sum(where(mask, grad, zeros_like(grad))); }

}  // namespace tensorlib::autograd::generated::details
