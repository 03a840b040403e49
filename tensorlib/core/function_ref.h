// A reference to something callable, as two words: an address of the object and of a function that calls it.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

namespace tensorlib {

template <typename Signature>
class function_ref;

/// Does not own what it refers to: for parameters only.
template <typename Return, typename... Params>
class function_ref<Return(Params...)> {
 public:
  template <typename Callable>
  requires(!std::is_same_v<std::remove_cvref_t<Callable>, function_ref>) function_ref(Callable&& callable)
      : callback_(&callback_fn<std::remove_reference_t<Callable>>), callable_(reinterpret_cast<std::intptr_t>(&callable)) {}

  Return operator()(Params... params) const { return callback_(callable_, params...); }

 private:
  template <typename Callable>
  static Return callback_fn(std::intptr_t callable, Params... params) {
    return (*reinterpret_cast<Callable*>(callable))(params...);
  }

  Return (*callback_)(std::intptr_t callable, Params... params);
  std::intptr_t callable_;
};

}  // namespace tensorlib
