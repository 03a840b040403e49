// Dispatch keys, lowest priority first: the highest key of a call's set decides which kernel runs next.
#pragma once

#include <cstdint>

namespace tensorlib {

enum class DispatchKey : std::uint8_t {
  Undefined,
  CPU,
  BackendSelect,
  ADInplaceOrView,
  AutogradCPU,
  Tracer,
  AutocastCPU,
  EndOfKeys,
};

constexpr int numDispatchKeys = static_cast<int>(DispatchKey::EndOfKeys);

/// "AutogradCPU".
const char* toString(DispatchKey key);

}  // namespace tensorlib
