// The hook behind retain_grad(): leaves the gradient of a computed tensor in its .grad.
#pragma once

#include "autograd/variable.h"

namespace tensorlib::autograd {

struct RetainGrad final : FunctionPreHook {
  explicit RetainGrad(AutogradMeta& meta) : output_nr_(meta.output_nr_) {
    if (!meta.self_) meta.self_ = std::make_shared<AutogradMeta*>(&meta);
    meta_ = meta.self_;
  }
  variable_list operator()(const variable_list& grads) override;

 private:
  std::shared_ptr<AutogradMeta*> meta_;
  std::uint32_t output_nr_;
};

}  // namespace tensorlib::autograd
