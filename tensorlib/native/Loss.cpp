// Losses and what they are made of.
#include <algorithm>
#include <cmath>

#include "core/Dispatch.h"
#include "core/Exception.h"
#include "native/BinaryOps.h"
#include "native/ReduceOpsUtils.h"
#include "native/TensorConversions.h"
#include "native/TensorShape.h"
#include "ops/Functions.h"
#include "ops/NativeFunctions.h"

namespace tensorlib::native {

DEFINE_DISPATCH(mse_stub);
DEFINE_DISPATCH(mse_backward_stub);

namespace {

/// What a loss does with the losses of its elements, as PyTorch numbers it.
enum Reduction : std::int64_t { None, Mean, Sum };

Tensor apply_reduction(const Tensor& loss, std::int64_t reduction) {
  if (reduction == Mean) return at::mean(loss);
  return reduction == Sum ? at::sum(loss) : loss;
}

}  // namespace

Tensor mse_loss(const Tensor& self, const Tensor& target, std::int64_t reduction) {
  TensorIterator iter = TensorIterator::binary_op(Tensor(), self, target);
  mse_stub(iter);
  return apply_reduction(iter.output(), reduction);
}

Tensor mse_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target, std::int64_t reduction) {
  const double norm = reduction == Mean ? 2. / static_cast<double>(self.numel()) : 2.;
  TensorIterator iter;
  iter.build_ternary_op(Tensor(), self, target, grad_output);
  mse_backward_stub(iter, norm);
  return iter.output();
}

namespace {

/// The lines along a dimension of a row-major tensor: `outer` times `inner` of them, `size` elements `inner` apart.
struct Lines {
  std::int64_t outer = 1, size = 1, inner = 1;
  Lines(const Tensor& t, std::int64_t dim) {
    if (t.dim() == 0) return;
    for (std::int64_t d = 0; d < dim; ++d) outer *= t.size(d);
    size = t.size(dim);
    for (std::int64_t d = dim + 1; d < t.dim(); ++d) inner *= t.size(d);
  }
};

std::int64_t wrapped(const Tensor& t, std::int64_t dim) { return wrap_dim(dim, t.dim() == 0 ? 1 : t.dim()); }

void check_floating(const Tensor& self, const char* kernel) {
  if (!isFloatingType(self.dtype())) report_unsupported_type(kernel, self.dtype());
}

template <typename scalar_t>
void log_softmax_line(const scalar_t* in, scalar_t* out, std::int64_t size, std::int64_t step) {
  scalar_t largest = in[0];
  for (std::int64_t i = 1; i < size; ++i) largest = in[i * step] > largest || std::isnan(in[i * step]) ? in[i * step] : largest;
  double sum = 0;
  for (std::int64_t i = 0; i < size; ++i) sum += std::exp(static_cast<double>(in[i * step] - largest));
  const auto log_sum = static_cast<scalar_t>(std::log(sum));
  for (std::int64_t i = 0; i < size; ++i) out[i * step] = in[i * step] - largest - log_sum;
}

}  // namespace

Tensor _log_softmax(const Tensor& self, std::int64_t dim, bool) {
  const Tensor input = contiguous(self);
  const Tensor result = empty(self.sizes(), self.dtype());
  const Lines lines(input, wrapped(self, dim));
  TENSORLIB_DISPATCH_FLOATING_TYPES(self.dtype(), "log_softmax_lastdim_kernel_impl", {
    for (std::int64_t line = 0; input.numel() > 0 && line < lines.outer * lines.inner; ++line) {
      const std::int64_t at = line / lines.inner * lines.size * lines.inner + line % lines.inner;
      log_softmax_line(input.data_ptr<scalar_t>() + at, result.data_ptr<scalar_t>() + at, lines.size, lines.inner);
    }
  });
  return result;
}

Tensor _log_softmax_backward_data(const Tensor& grad_output, const Tensor& output, std::int64_t dim, ScalarType) {
  const std::int64_t along = wrapped(output, dim);
  const Tensor total = output.dim() == 0 ? at::sum(grad_output) : at::sum(grad_output, IntArrayRef(&along, 1), true);
  return at::sub(grad_output, at::mul(at::exp(output), total));
}

Tensor log_softmax(const Tensor& self, std::int64_t dim, std::optional<ScalarType> dtype) {
  return at::_log_softmax(dtype && *dtype != self.dtype() ? at::to(self, *dtype) : self, dim, false);
}
Tensor softmax(const Tensor& self, std::int64_t dim, std::optional<ScalarType> dtype) {
  if (!dtype) check_floating(self, "softmax_lastdim_kernel_impl");
  return at::exp(at::log_softmax(self, dim, dtype));
}

namespace {

void check_nll(const Tensor& self, const Tensor& target) {
  if (self.dim() < 1 || self.dim() > 2) raise("input tensor should be 1D or 2D");
  if (target.dim() > 1) raise("0D or 1D target tensor expected, multi-target not supported");
  if (target.dtype() != ScalarType::Long) raise(std::string("expected scalar type Long but found ") + tensorlib::toString(target.dtype()));
  if (self.dim() == 2 && target.dim() == 1 && self.size(0) != target.size(0)) {
    throw ValueError("Expected input batch_size (" + std::to_string(self.size(0)) + ") to match target batch_size (" +
                     std::to_string(target.size(0)) + ").");
  }
  if (self.dim() == 2 && target.dim() != 1)
    raise("size mismatch (got input: " + tensorlib::toString(self.sizes()) + ", target: " + tensorlib::toString(target.sizes()) + ")");
}

struct Classes {
  Tensor input, target, weight;  ///< Row-major; weight undefined where all weigh 1.
  std::int64_t batch, count, ignore;

  Classes(const Tensor& self, const Tensor& target_, const std::optional<Tensor>& weight_, std::int64_t ignore_index)
      : input(contiguous(self)),
        target(contiguous(target_)),
        weight(weight_ && weight_->defined() ? contiguous(*weight_) : Tensor()),
        batch(self.dim() == 1 ? 1 : self.size(0)),
        count(self.size(self.dim() - 1)),
        ignore(ignore_index) {
    if (weight.defined() && (weight.dim() != 1 || weight.numel() != count))
      raise("weight tensor should be defined either for all " + std::to_string(count) +
            " classes or no classes but got weight tensor of shape: " + tensorlib::toString(weight.sizes()));
    for (std::int64_t i = 0; i < batch; ++i) {
      const std::int64_t wanted = target.data_ptr<std::int64_t>()[i];
      if (wanted != ignore && (wanted < 0 || wanted >= count)) throw IndexError("Target " + std::to_string(wanted) + " is out of bounds.");
    }
  }
  std::int64_t wanted(std::int64_t i) const { return target.data_ptr<std::int64_t>()[i]; }
  template <typename scalar_t>
  scalar_t weight_of(std::int64_t i) const {
    if (wanted(i) == ignore) return 0;
    return weight.defined() ? weight.data_ptr<scalar_t>()[wanted(i)] : scalar_t(1);
  }
};

}  // namespace

std::tuple<Tensor, Tensor> nll_loss_forward(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
                                            std::int64_t reduction, std::int64_t ignore_index) {
  check_nll(self, target);
  const Classes classes(self, target, weight, ignore_index);
  const Tensor output = empty(reduction == None && self.dim() == 2 ? IntArrayRef(target.sizes()) : IntArrayRef(), self.dtype());
  const Tensor total_weight = empty({}, self.dtype());
  TENSORLIB_DISPATCH_FLOATING_TYPES(self.dtype(), "nll_loss_out_frame", {
    double loss = 0, total = 0;
    for (std::int64_t i = 0; i < classes.batch; ++i) {
      const scalar_t w = classes.weight_of<scalar_t>(i);
      const scalar_t one = w == 0 ? scalar_t(0) : -w * classes.input.data_ptr<scalar_t>()[i * classes.count + classes.wanted(i)];
      if (reduction == None) output.data_ptr<scalar_t>()[i] = one;
      loss += one, total += w;
    }
    if (reduction != None) *output.data_ptr<scalar_t>() = static_cast<scalar_t>(reduction == Mean ? loss / total : loss);
    *total_weight.data_ptr<scalar_t>() = static_cast<scalar_t>(total);
  });
  return {output, total_weight};
}

Tensor nll_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
                         std::int64_t reduction, std::int64_t ignore_index, const Tensor& total_weight) {
  check_nll(self, target);
  const Classes classes(self, target, weight, ignore_index);
  const Tensor result = empty(self.sizes(), self.dtype()), grad = contiguous(grad_output);
  fill_(result, 0);
  TENSORLIB_DISPATCH_FLOATING_TYPES(self.dtype(), "nll_loss_backward_out_frame", {
    for (std::int64_t i = 0; i < classes.batch; ++i) {
      if (classes.wanted(i) == ignore_index) continue;
      const scalar_t share =
          reduction == Mean ? classes.weight_of<scalar_t>(i) / *total_weight.data_ptr<scalar_t>() : classes.weight_of<scalar_t>(i);
      result.data_ptr<scalar_t>()[i * classes.count + classes.wanted(i)] = -share * grad.data_ptr<scalar_t>()[reduction == None ? i : 0];
    }
  });
  return result;
}

Tensor nll_loss(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, std::int64_t reduction,
                std::int64_t ignore_index) {
  return std::get<0>(at::nll_loss_forward(self, target, weight, reduction, ignore_index));
}

namespace {

struct CrossEntropy {
  const std::optional<Tensor>& weight;
  std::int64_t reduction, ignore_index;
  double label_smoothing;
  std::int64_t class_dim;

  bool has_weight() const { return weight && weight->defined(); }
  /// The sum over classes of -log_probabilities, each times its weight.
  Tensor sum_of_classes(const Tensor& log_probabilities) const {
    const Tensor weighed = has_weight() ? at::mul(log_probabilities, *weight) : log_probabilities;
    return at::neg(at::sum(weighed, IntArrayRef(&class_dim, 1), false));
  }
};

/// The share of the loss that smoothing gives to all classes alike.
Tensor smooth_loss(const Tensor& log_probabilities, const Tensor& target, const CrossEntropy& how) {
  const Tensor ignored = at::eq(target, wrapped_scalar_tensor(how.ignore_index));
  const Tensor each = at::masked_fill(how.sum_of_classes(log_probabilities), ignored, 0);
  if (how.reduction == None) return each;
  const Tensor total = at::sum(each);
  if (how.reduction == Sum) return total;
  if (!how.has_weight()) return at::div(total, at::to(at::sum(at::logical_not(ignored)), total.dtype()));
  const Tensor weights = at::gather(*how.weight, 0, at::masked_fill(at::flatten(target), at::flatten(ignored), 0));
  return at::div(total, at::sum(at::masked_fill(weights, at::flatten(ignored), 0)));
}

/// `target` holds a probability for each class.
Tensor loss_of_probabilities(const Tensor& self, const Tensor& target_, const CrossEntropy& how) {
  if (!std::ranges::equal(self.sizes(), target_.sizes())) {
    raise("Expected input and target of probabilities of one shape, but got input " + tensorlib::toString(self.sizes()) + ", target " +
          tensorlib::toString(target_.sizes()));
  }
  if (how.ignore_index >= 0) raise("ignore_index is not supported for floating point target");
  const auto classes = static_cast<double>(self.size(how.class_dim));
  Tensor target = target_;
  if (how.label_smoothing > 0) {
    target = at::add(at::mul(target, wrapped_scalar_tensor(1 - how.label_smoothing)), wrapped_scalar_tensor(how.label_smoothing / classes));
  }
  const Tensor each = how.sum_of_classes(at::mul(at::log_softmax(self, how.class_dim), target));
  if (how.reduction == None) return each;
  const Tensor total = at::sum(each);
  return how.reduction == Sum ? total : at::div(total, wrapped_scalar_tensor(static_cast<double>(self.numel()) / classes));
}

}  // namespace

Tensor cross_entropy_loss(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, std::int64_t reduction,
                          std::int64_t ignore_index, double label_smoothing) {
  if (!(label_smoothing >= 0 && label_smoothing <= 1)) {
    raise("label_smoothing must be between 0.0 and 1.0. Got: " + std::to_string(label_smoothing));
  }
  if (self.dim() < 1 || self.dim() > 2) raise("input tensor should be 1D or 2D, but got " + tensorlib::toString(self.sizes()));
  const CrossEntropy how{weight, reduction, ignore_index, label_smoothing, self.dim() == 1 ? 0 : 1};
  if (isFloatingType(target.dtype())) return loss_of_probabilities(self, target, how);
  const Tensor log_probabilities = at::log_softmax(self, how.class_dim);
  const Tensor loss = at::nll_loss(log_probabilities, target, weight, reduction, ignore_index);
  if (label_smoothing == 0) return loss;
  const double classes = static_cast<double>(self.size(how.class_dim));
  return at::add(at::mul(loss, wrapped_scalar_tensor(1 - label_smoothing)),
                 at::mul(smooth_loss(log_probabilities, target, how), wrapped_scalar_tensor(label_smoothing / classes)));
}

}  // namespace tensorlib::native
