// From an element type known when running to code for that type: TENSORLIB_DISPATCH_*(TYPE, NAME, BODY).
//
// BODY, a statement list in braces, is compiled once per type of the macro's set with `scalar_t` naming the C++ type. Any other type
// raises NotImplementedError: "NAME" not implemented for 'Bool'. There is no lambda around BODY, so no frame of its own.
#pragma once

#include "core/ScalarType.h"

namespace tensorlib {

/// Raises NotImplementedError for an operator that has no kernel for a type.
[[noreturn]] void report_unsupported_type(const char* name, ScalarType type);

}  // namespace tensorlib

#define TENSORLIB_DISPATCH_CASE(NAME, CPP_TYPE, ...) \
  case ::tensorlib::ScalarType::NAME: {              \
    using scalar_t [[maybe_unused]] = CPP_TYPE;      \
    __VA_ARGS__                                      \
  } break;

#define TENSORLIB_DISPATCH_SWITCH(TYPE, NAME, ...)                   \
  do {                                                               \
    const ::tensorlib::ScalarType dispatched_type = (TYPE);          \
    switch (dispatched_type) {                                       \
      __VA_ARGS__                                                    \
      default:                                                       \
        ::tensorlib::report_unsupported_type(NAME, dispatched_type); \
    }                                                                \
  } while (false)

#define TENSORLIB_DISPATCH_CASE_FLOATING_TYPES(...)  \
  TENSORLIB_DISPATCH_CASE(Float, float, __VA_ARGS__) \
  TENSORLIB_DISPATCH_CASE(Double, double, __VA_ARGS__)

#define TENSORLIB_DISPATCH_CASE_INTEGRAL_TYPES(...)         \
  TENSORLIB_DISPATCH_CASE(Byte, std::uint8_t, __VA_ARGS__)  \
  TENSORLIB_DISPATCH_CASE(Char, std::int8_t, __VA_ARGS__)   \
  TENSORLIB_DISPATCH_CASE(Short, std::int16_t, __VA_ARGS__) \
  TENSORLIB_DISPATCH_CASE(Int, std::int32_t, __VA_ARGS__)   \
  TENSORLIB_DISPATCH_CASE(Long, std::int64_t, __VA_ARGS__)

/// float32, float64.
#define TENSORLIB_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) \
  TENSORLIB_DISPATCH_SWITCH(TYPE, NAME, TENSORLIB_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))

/// uint8, int8, int16, int32, int64.
#define TENSORLIB_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) \
  TENSORLIB_DISPATCH_SWITCH(TYPE, NAME, TENSORLIB_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__))

#define TENSORLIB_DISPATCH_INTEGRAL_TYPES_AND_BOOL(TYPE, NAME, ...) \
  TENSORLIB_DISPATCH_SWITCH(TYPE, NAME,                             \
                            TENSORLIB_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) TENSORLIB_DISPATCH_CASE(Bool, bool, __VA_ARGS__))

/// Every type but bool.
#define TENSORLIB_DISPATCH_ALL_TYPES(TYPE, NAME, ...) \
  TENSORLIB_DISPATCH_SWITCH(TYPE, NAME,               \
                            TENSORLIB_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) TENSORLIB_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))

#define TENSORLIB_DISPATCH_ALL_TYPES_AND_BOOL(TYPE, NAME, ...)                                                                      \
  TENSORLIB_DISPATCH_SWITCH(TYPE, NAME,                                                                                             \
                            TENSORLIB_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) TENSORLIB_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) \
                                TENSORLIB_DISPATCH_CASE(Bool, bool, __VA_ARGS__))
