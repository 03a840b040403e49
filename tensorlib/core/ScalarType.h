// Element types, and which type comes of two.
#pragma once

#include <cstddef>
#include <cstdint>

/// _(C++ type, ScalarType) for each element type: the one list of them.
#define TENSORLIB_FORALL_SCALAR_TYPES(_) \
  _(std::uint8_t, Byte)                  \
  _(std::int8_t, Char)                   \
  _(std::int16_t, Short)                 \
  _(std::int32_t, Int)                   \
  _(std::int64_t, Long)                  \
  _(float, Float)                        \
  _(double, Double)                      \
  _(bool, Bool)

namespace tensorlib {

enum class ScalarType : std::int8_t {
#define TENSORLIB_NAME(type, name) name,
  TENSORLIB_FORALL_SCALAR_TYPES(TENSORLIB_NAME)
#undef TENSORLIB_NAME
      Undefined,
};

constexpr int numScalarTypes = static_cast<int>(ScalarType::Undefined);

template <typename T>
struct CppTypeToScalarType;
#define TENSORLIB_TYPE(type, name)                        \
  template <>                                             \
  struct CppTypeToScalarType<type> {                      \
    static constexpr ScalarType value = ScalarType::name; \
  };
TENSORLIB_FORALL_SCALAR_TYPES(TENSORLIB_TYPE)
#undef TENSORLIB_TYPE

/// Bytes of one element.
constexpr std::size_t elementSize(ScalarType type) {
  switch (type) {
#define TENSORLIB_SIZE(type, name) \
  case ScalarType::name:           \
    return sizeof(type);
    TENSORLIB_FORALL_SCALAR_TYPES(TENSORLIB_SIZE)
#undef TENSORLIB_SIZE
    case ScalarType::Undefined:
      break;
  }
  return 0;
}

[[gnu::always_inline]] constexpr bool isFloatingType(ScalarType type) { return type == ScalarType::Float || type == ScalarType::Double; }
constexpr bool isIntegralType(ScalarType type, bool includeBool) {
  return type <= ScalarType::Long || (includeBool && type == ScalarType::Bool);
}
constexpr bool isSignedType(ScalarType type) { return type != ScalarType::Byte && type != ScalarType::Bool; }

/// "float32", as Python names it.
const char* pythonName(ScalarType type);
/// "Float", as error messages name it.
const char* toString(ScalarType type);

/// Whether a result of `from` may be written to an output of `to`: not from floats to integers, nor from anything to bool.
constexpr bool canCast(ScalarType from, ScalarType to) {
  if (isFloatingType(from) && isIntegralType(to, false)) return false;
  return from == ScalarType::Bool || to != ScalarType::Bool;
}

/// The smallest type that holds both, as PyTorch's table has it; Undefined gives way to the other.
constexpr ScalarType promoteTypes(ScalarType a, ScalarType b) {
  if (a == b || b == ScalarType::Undefined) return a;
  if (a == ScalarType::Undefined) return b;
  if (isFloatingType(a) || isFloatingType(b)) {
    return a == ScalarType::Double || b == ScalarType::Double ? ScalarType::Double : ScalarType::Float;
  }
  if (a == ScalarType::Bool) return b;
  if (b == ScalarType::Bool) return a;
  const ScalarType wider = a < b ? b : a;
  const ScalarType other = a < b ? a : b;
  // uint8 and int8 hold numbers that the other does not.
  return other == ScalarType::Byte && wider == ScalarType::Char ? ScalarType::Short : wider;
}

}  // namespace tensorlib
