// Errors of the engine. Each kind becomes the Python exception of the same name in the binding.
#pragma once

#include <stdexcept>
#include <string>

namespace tensorlib {

/// A call that cannot be carried out; RuntimeError in Python. what() says what is wrong and, where there is a way, how to mend it.
class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class IndexError : public Error {
  using Error::Error;
};
class TypeError : public Error {
  using Error::Error;
};
class ValueError : public Error {
  using Error::Error;
};
class NotImplementedError : public Error {
  using Error::Error;
};

/// Throws Error.
[[noreturn]] void raise(const std::string& message);

}  // namespace tensorlib
