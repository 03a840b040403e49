#include "core/ScalarType.h"

namespace tensorlib {

const char* toString(ScalarType type) {
  switch (type) {
    case ScalarType::Float: return "Float";
    case ScalarType::Double: return "Double";
    case ScalarType::Undefined: break;
  }
  return "Undefined";
}

const char* pythonName(ScalarType type) { return type == ScalarType::Double ? "float64" : "float32"; }

}  // namespace tensorlib
