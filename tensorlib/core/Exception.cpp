#include "core/Exception.h"

#include "core/Dispatch.h"

namespace tensorlib {

void raise(const std::string& message) { throw Error(message); }

void report_unsupported_type(const char* name, ScalarType type) {
  throw NotImplementedError('"' + std::string(name) + "\" not implemented for '" + toString(type) + '\'');
}

}  // namespace tensorlib
