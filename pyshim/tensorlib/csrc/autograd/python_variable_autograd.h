// What tensorlib._C.TensorBase has of autograd: grad, grad_fn, hooks, versions, views.
#pragma once

#include <Python.h>

namespace tensorlib::autograd {

/// Adds them to the type, which must be ready.
bool THPVariable_initAutograd();

}  // namespace tensorlib::autograd
