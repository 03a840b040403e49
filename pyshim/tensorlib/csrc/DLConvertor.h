// DLPack: memory shared with other libraries through a capsule.
#pragma once

#include <Python.h>

#include "core/Tensor.h"

namespace tensorlib {

/// A capsule "dltensor" over the tensor's memory. Raises BufferError's message as Error when gradients are wanted.
PyObject* toDLPack(const Tensor& self);
/// Takes the capsule over: it is named "used_dltensor" afterwards, and whose memory it is is told when the tensor's storage dies.
Tensor fromDLPack(PyObject* capsule);

}  // namespace tensorlib
