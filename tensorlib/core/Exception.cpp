#include "core/Exception.h"

namespace tensorlib {

void raise(const std::string& message) { throw Error(message); }

}  // namespace tensorlib
