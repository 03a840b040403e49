// Element types. The engine has float32 and float64; the list is laid out to grow.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tensorlib {

enum class ScalarType : std::int8_t { Float, Double, Undefined };

/// Bytes of one element.
constexpr std::size_t elementSize(ScalarType type) { return type == ScalarType::Double ? 8 : 4; }

/// "float32", as Python names it.
const char* pythonName(ScalarType type);

constexpr ScalarType promoteTypes(ScalarType a, ScalarType b) {
  if (a == ScalarType::Undefined) return b;
  if (b == ScalarType::Undefined) return a;
  return a == ScalarType::Double || b == ScalarType::Double ? ScalarType::Double : ScalarType::Float;
}

}  // namespace tensorlib

/// Runs BODY (a statement list) with `scalar_t` naming the C++ type of TYPE. One place per element type to extend.
#define TENSORLIB_DISPATCH_FLOATING_TYPES(TYPE, ...) \
  do {                                               \
    if ((TYPE) == ::tensorlib::ScalarType::Double) { \
      using scalar_t = double;                       \
      __VA_ARGS__                                    \
    } else {                                         \
      using scalar_t = float;                        \
      __VA_ARGS__                                    \
    }                                                \
  } while (false)
