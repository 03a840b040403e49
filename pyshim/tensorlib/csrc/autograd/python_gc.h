// What Python's collector must see of autograd.
#pragma once

#include <Python.h>

#include "core/Tensor.h"

namespace tensorlib::autograd {

/// Visits the Python objects that only this tensor keeps alive: its hooks, and what its node keeps if the node is its alone. As
/// tp_traverse; for a tensor with one owner.
int traverse(const Tensor& tensor, visitproc visit, void* arg);

}  // namespace tensorlib::autograd
