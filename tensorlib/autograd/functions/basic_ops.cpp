#include "autograd/functions/basic_ops.h"

#include "core/Exception.h"

namespace tensorlib::autograd {

variable_list Error::apply(variable_list&&) { raise(message_); }

}  // namespace tensorlib::autograd
