// Errors of operators say of which call they are: a note with the operator's name and its arguments' types and shapes follows the message
// in a traceback. The message itself is PyTorch's.
#pragma once

#include <Python.h>

namespace tensorlib {

/// Sets the Python error for the C++ exception being handled; `self`, `args` and `kwargs` are what Python called with, each may be null.
[[gnu::cold]] void set_python_error_of_operator(const char* name, PyObject* self, PyObject* args, PyObject* kwargs);

}  // namespace tensorlib

#define END_HANDLE_TH_ERRORS_OF_RET(name, self, args, kwargs, value)     \
  }                                                                      \
  catch (...) {                                                          \
    ::tensorlib::set_python_error_of_operator(name, self, args, kwargs); \
    return value;                                                        \
  }
#define END_HANDLE_TH_ERRORS_OF(name, self, args, kwargs) END_HANDLE_TH_ERRORS_OF_RET(name, self, args, kwargs, nullptr)
