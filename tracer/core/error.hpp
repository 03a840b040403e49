// The one way to fail in the tracing process. Nothing here runs inside the traced program.
#pragma once

#include <stdexcept>
#include <string>

namespace callpath {

/// A failure that a user can understand: what is wrong (with its place) and how to mend it.
/// Thrown by every library below the command line, printed once by `callpath` itself, never seen by the traced program.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& what, std::string mend = {}) : std::runtime_error(what), mend_(std::move(mend)) {}
  const std::string& mend() const { return mend_; }  ///< One sentence or a command; may be empty.

 private:
  std::string mend_;
};

}  // namespace callpath
