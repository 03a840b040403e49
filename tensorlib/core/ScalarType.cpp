#include "core/ScalarType.h"

namespace tensorlib {

const char* pythonName(ScalarType type) {
  switch (type) {
    case ScalarType::Byte:
      return "uint8";
    case ScalarType::Char:
      return "int8";
    case ScalarType::Short:
      return "int16";
    case ScalarType::Int:
      return "int32";
    case ScalarType::Long:
      return "int64";
    case ScalarType::Float:
      return "float32";
    case ScalarType::Double:
      return "float64";
    case ScalarType::Bool:
      return "bool";
    case ScalarType::Undefined:
      break;
  }
  return "undefined";
}

const char* toString(ScalarType type) {
  switch (type) {
#define TENSORLIB_STRING(_, name) \
  case ScalarType::name:          \
    return #name;
    TENSORLIB_FORALL_SCALAR_TYPES(TENSORLIB_STRING)
#undef TENSORLIB_STRING
    case ScalarType::Undefined:
      break;
  }
  return "Undefined";
}

}  // namespace tensorlib
