#include "core/ScalarType.h"

namespace tensorlib {

const char* pythonName(ScalarType type) { return type == ScalarType::Double ? "float64" : "float32"; }

}  // namespace tensorlib
