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

  // Aliases: kernels are registered at them for several keys at once; no tensor carries one.
  Autograd = EndOfKeys,
  CompositeImplicitAutograd,
  CompositeExplicitAutograd,
  EndOfAliases,
};

constexpr int numDispatchKeys = static_cast<int>(DispatchKey::EndOfKeys);
/// Keys and aliases, what kernels can be registered at.
constexpr int numRegistrationKeys = static_cast<int>(DispatchKey::EndOfAliases);

/// "AutogradCPU".
const char* toString(DispatchKey key);

}  // namespace tensorlib
