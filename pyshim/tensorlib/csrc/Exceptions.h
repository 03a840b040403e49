// C++ errors on their way to Python.
#pragma once

#include <Python.h>

namespace tensorlib {

/// Thrown when a Python error is set already.
struct python_error {};

/// Sets the Python error for the C++ exception being handled. Call inside a catch block, with the GIL.
void set_python_error_from_exception();

/// Sets RuntimeError(`message`) with the Python error that is set now as its cause, and throws python_error.
[[noreturn]] void throw_from_python_error(const char* message);

}  // namespace tensorlib

/// Around the body of a function that Python calls; END's value is returned after an error.
#define HANDLE_TH_ERRORS try {
#define END_HANDLE_TH_ERRORS_RET(value)             \
  }                                                 \
  catch (...) {                                     \
    ::tensorlib::set_python_error_from_exception(); \
    return value;                                   \
  }
#define END_HANDLE_TH_ERRORS END_HANDLE_TH_ERRORS_RET(nullptr)
