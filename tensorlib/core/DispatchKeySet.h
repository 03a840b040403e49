// A set of dispatch keys: bit (key - 1) stands for a key.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "core/DispatchKey.h"

namespace tensorlib {

class DispatchKeySet {
 public:
  constexpr DispatchKeySet() = default;
  constexpr explicit DispatchKeySet(DispatchKey key) : repr_(bit(key)) {}
  constexpr DispatchKeySet(std::initializer_list<DispatchKey> keys) {
    for (DispatchKey key : keys) repr_ |= bit(key);
  }
  /// All keys below `key`.
  static constexpr DispatchKeySet below(DispatchKey key) { return raw(bit(key) - 1); }
  static constexpr DispatchKeySet full() { return raw((std::uint64_t{1} << (numDispatchKeys - 1)) - 1); }

  constexpr bool has(DispatchKey key) const { return (repr_ & bit(key)) != 0; }
  constexpr bool empty() const { return repr_ == 0; }
  constexpr std::uint64_t raw_repr() const { return repr_; }
  constexpr DispatchKey highestPriorityKey() const { return static_cast<DispatchKey>(64 - __builtin_clzll(repr_ << 1 | 1) - 1); }

  constexpr DispatchKeySet operator|(DispatchKeySet other) const { return raw(repr_ | other.repr_); }
  constexpr DispatchKeySet operator&(DispatchKeySet other) const { return raw(repr_ & other.repr_); }
  constexpr DispatchKeySet operator-(DispatchKeySet other) const { return raw(repr_ & ~other.repr_); }
  constexpr DispatchKeySet operator^(DispatchKeySet other) const { return raw(repr_ ^ other.repr_); }
  constexpr bool operator==(const DispatchKeySet&) const = default;

 private:
  static constexpr std::uint64_t bit(DispatchKey key) {
    return key == DispatchKey::Undefined ? 0 : std::uint64_t{1} << (static_cast<int>(key) - 1);
  }
  static constexpr DispatchKeySet raw(std::uint64_t repr) {
    DispatchKeySet set;
    set.repr_ = repr;
    return set;
  }

  std::uint64_t repr_ = 0;
};

/// What a plain CPU tensor carries.
constexpr DispatchKeySet cpu_tensor_keyset{DispatchKey::CPU, DispatchKey::ADInplaceOrView, DispatchKey::AutogradCPU,
                                           DispatchKey::AutocastCPU};
/// A CPU tensor made in inference mode: autograd and view tracking do not know it.
constexpr DispatchKeySet inference_tensor_keyset{DispatchKey::CPU, DispatchKey::AutocastCPU};
constexpr DispatchKeySet autograd_dispatch_keyset{DispatchKey::AutogradCPU};
constexpr DispatchKeySet autograd_dispatch_keyset_with_ADInplaceOrView{DispatchKey::AutogradCPU, DispatchKey::ADInplaceOrView};
/// Keys that may still run once autograd has.
constexpr DispatchKeySet after_ADInplaceOrView_keyset = DispatchKeySet::below(DispatchKey::ADInplaceOrView);
constexpr DispatchKeySet after_autograd_keyset = DispatchKeySet::below(DispatchKey::AutogradCPU);

/// "DispatchKeySet(CPU, AutogradCPU)".
std::string toString(DispatchKeySet set);

}  // namespace tensorlib
