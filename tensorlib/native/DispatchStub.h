// One function pointer per CPU capability, and the choice between them at the first call.
//
// A kernel source is compiled once per capability; each copy defines its own pointer with REGISTER_DISPATCH, an explicit
// specialisation of a static member, so that a missing copy is a link error rather than a null pointer.
#pragma once

#include <atomic>
#include <string>
#include <type_traits>
#include <utility>

#include "core/Export.h"
#include "core/ScalarType.h"
#include "core/SmallVector.h"

namespace tensorlib {
struct TensorIteratorBase;
class Scalar;
std::string toString(IntArrayRef sizes);
}  // namespace tensorlib

namespace tensorlib::native {

enum class CPUCapability { DEFAULT, AVX2, AVX512 };

/// What this process uses: the best that CPU and operating system have, or what TENSORLIB_CPU_CAPABILITY (default, avx2, avx512) asks for.
CPUCapability get_cpu_capability();
/// The best this machine has, whatever was asked for.
CPUCapability best_cpu_capability();
/// Those of the namespace around stay visible beside it.
using tensorlib::toString;
/// "DEFAULT", "AVX2", "AVX512".
const char* toString(CPUCapability capability);
/// Why TENSORLIB_CPU_CAPABILITY was not followed, for people; empty when it was or is not set.
std::string cpu_capability_complaint();
/// What `wanted` (null: nothing) means on a machine whose best is `best`; a reason why not goes to `complaint`.
CPUCapability choose_cpu_capability(const char* wanted, CPUCapability best, std::string* complaint);

/// A call that reached a stub, for those who ask where calls go. Pointers are null where the stub takes no such argument.
struct StubCall {
  const char* name;  ///< "pow_tensor_scalar_stub"
  const TensorIteratorBase* iterator = nullptr;
  const Scalar* scalar = nullptr;
};

/// Somebody on this thread who is told of each stub before its kernel runs, and may throw to leave it at that.
class StubWatcher {
 public:
  StubWatcher();
  virtual ~StubWatcher();
  StubWatcher(const StubWatcher&) = delete;
  StubWatcher& operator=(const StubWatcher&) = delete;
  virtual void reached(const StubCall& call) = 0;

  /// How many there are on all threads: calls look no further while there are none.
  static std::atomic<int> count;
  /// Tells this thread's watcher, if it has one.
  [[gnu::cold, gnu::noinline]] static void tell(const StubCall& call);

 private:
  StubWatcher* previous_;
};

inline void note(StubCall& call, const TensorIteratorBase& iterator) { call.iterator = &iterator; }
inline void note(StubCall& call, const Scalar& scalar) {
  if (!call.scalar) call.scalar = &scalar;
}
template <typename Other>
void note(StubCall&, const Other&) {}

template <typename FnPtr, typename Name>
struct DispatchStub;

template <typename Return, typename Name, typename... Args>
struct DispatchStub<Return (*)(Args...), Name> {
  using FnPtr = Return (*)(Args...);

  Return operator()(Args... args) {
    const FnPtr kernel = get_call_ptr();
    if (StubWatcher::count.load(std::memory_order_relaxed) != 0) [[unlikely]]
      tell_watcher(args...);
    return (*kernel)(args...);
  }

  /// The kernel that calls of this stub run in this process.
  FnPtr get_call_ptr() {
    FnPtr kernel = cpu_dispatch_ptr_.load(std::memory_order_relaxed);
    if (!kernel) [[unlikely]] {
      kernel = choose_cpu_impl(get_cpu_capability());
      cpu_dispatch_ptr_.store(kernel, std::memory_order_relaxed);
    }
    return kernel;
  }

  /// The kernel compiled for a capability.
  static FnPtr choose_cpu_impl(CPUCapability capability) {
    switch (capability) {
      case CPUCapability::AVX512:
        return AVX512;
      case CPUCapability::AVX2:
        return AVX2;
      case CPUCapability::DEFAULT:
        break;
    }
    return DEFAULT;
  }

  static FnPtr DEFAULT;
  static FnPtr AVX2;
  static FnPtr AVX512;

 private:
  [[gnu::cold, gnu::noinline]] static void tell_watcher(const std::remove_reference_t<Args>&... args) {
    StubCall call{Name::name};
    (note(call, args), ...);
    StubWatcher::tell(call);
  }

  std::atomic<FnPtr> cpu_dispatch_ptr_{nullptr};
};

}  // namespace tensorlib::native

/// In a header, inside namespace tensorlib::native: declares the stub NAME of kernels of the pointer type FN (a name).
#define DECLARE_DISPATCH(FN, NAME)              \
  struct NAME : DispatchStub<FN, struct NAME> { \
    NAME() = default;                           \
    static constexpr const char* name = #NAME;  \
  };                                            \
  template <>                                   \
  FN DispatchStub<FN, struct NAME>::DEFAULT;    \
  template <>                                   \
  FN DispatchStub<FN, struct NAME>::AVX2;       \
  template <>                                   \
  FN DispatchStub<FN, struct NAME>::AVX512;     \
  extern struct NAME NAME

/// In one source of the operators.
#define DEFINE_DISPATCH(NAME) struct NAME NAME

/// In a kernel source, inside namespace tensorlib::native: KERNEL is what this capability's copy of NAME runs.
#define REGISTER_DISPATCH(NAME, KERNEL) \
  template <>                           \
  decltype(NAME)::FnPtr DispatchStub<decltype(NAME)::FnPtr, struct NAME>::CPU_CAPABILITY = KERNEL
