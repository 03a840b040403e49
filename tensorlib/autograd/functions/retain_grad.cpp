#include "autograd/functions/retain_grad.h"

#include "core/LocalDispatchKeySet.h"
#include "ops/Functions.h"

namespace tensorlib::autograd {

variable_list RetainGrad::operator()(const variable_list& grads) {
  const Tensor& incoming = grads[output_nr_];
  AutogradMeta* meta = *meta_;
  if (!meta || !incoming.defined()) return grads;
  if (!meta->grad_.defined()) {
    meta->grad_ = at::clone(incoming);
  } else {
    meta->grad_ = at::add(meta->grad_, incoming);
  }
  return grads;
}

}  // namespace tensorlib::autograd
