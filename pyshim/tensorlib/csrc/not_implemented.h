// A TypeError that became NotImplemented, so that Python asks the other operand, and is not lost.
//
// Python's own message says only which operands do not go together. Why the engine's method would not take them is kept per thread until
// the next time, here for Python (tensorlib.overrides.not_implemented_reason()), and for debuggers and tracers in the frame of
// THPVariable_TypeError_to_NotImplemented, which runs once each time: its local `reason` is the text of the error.
#pragma once

#include <Python.h>

namespace tensorlib {

/// Takes the current error, which must be a TypeError, keeps it as the reason, and returns a new reference to NotImplemented.
PyObject* THPVariable_TypeError_to_NotImplemented();

bool not_implemented_initModule(PyObject* module);

namespace autograd {

/// A binary operator's method: arguments that it cannot take give NotImplemented.
template <PyCFunctionWithKeywords method>
PyObject* TypeError_to_NotImplemented_(PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject* result = method(self, args, kwargs);
  if (!result && PyErr_ExceptionMatches(PyExc_TypeError)) return THPVariable_TypeError_to_NotImplemented();
  return result;
}

}  // namespace autograd
}  // namespace tensorlib
