// The Python objects of nodes: what x.grad_fn gives.
#pragma once

#include <Python.h>

#include <memory>

#include "autograd/function.h"

namespace tensorlib::autograd {

/// A new reference to the object of a node: the one it has, or a new one, whose type is named as the node is. None for no node.
/// Null with a Python error.
PyObject* functionToPyObject(const std::shared_ptr<Node>& node);

bool THPCppFunction_Check(PyObject* object);
const std::shared_ptr<Node>& THPCppFunction_Unpack(PyObject* object);

bool THPCppFunction_initModule(PyObject* module);

}  // namespace tensorlib::autograd
